import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { NETWORKS } from '@asset-gateway/protocol';
import bs58 from 'bs58';
import { asking, catalogWith, requirement } from '../client/offers.ts';
import { randomFrom } from '../kit/random.ts';
import { type Arrival, drip, flood, startStrangeGateway } from '../kit/strange-gateway.ts';
import { mutateText, mutateValue, oneOf, type Random } from './values.ts';

const PARTS = ['challenge', 'asked', 'catalog', 'answer', 'response', 'rpc'] as const;
type Part = (typeof PARTS)[number];
const SHARE = 0.3;

const newAddress = (): string => bs58.encode(randomBytes(32));
const inputSchema = { type: 'object', properties: { q: { type: 'string', pattern: '^.{0,200}$' } } };

/** What an honest gateway answers, at this URL. */
const DOCUMENTS: Readonly<Record<Part, (url: string) => unknown>> = {
  challenge: (url) => {
    const time = (ms: number) => new Date(Date.now() + ms).toISOString();
    const nonce = randomBytes(16).toString('hex');
    const info = { domain: new URL(url).host, uri: url, version: '1', nonce, statement: 'Sign in to ask.' };
    const times = { issuedAt: time(0), expirationTime: time(300_000) };
    const supportedChains = [{ chainId: NETWORKS.mainnet, type: 'ed25519' }];
    const extensions = { 'sign-in-with-x': { info: { ...info, ...times }, supportedChains } };
    return asking([], { error: 'sign_in_required', extensions });
  },
  asked: () => asking([requirement(), requirement({ amount: '50000' })], { payment: { state: 'unused' } }),
  catalog: () => catalogWith('0.000005', { inputSchema }),
  answer: () => ({
    ok: true,
    priceUsd: '0.000005',
    result: { query: 'gold', results: [{ assetId: 'gold' }], context: { slot: 1 }, value: 7 },
  }),
  response: () => ({ success: true, transaction: bs58.encode(randomBytes(64)), payer: newAddress() }),
  rpc: () => {
    const value = { blockhash: newAddress(), lastValidBlockHeight: 1000 };
    return { jsonrpc: '2.0', id: 1, result: { context: { slot: 1 }, value } };
  },
};

/** How an answer travels when it is not simply sent. */
const TRANSPORTS: readonly ((response: ServerResponse, status: number) => unknown)[] = [
  drip,
  (response, status) => flood(response, status, () => undefined),
  (response) => response.destroy(),
  (response, status) => {
    response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': '1000' });
    response.write('{"ok":true,', () => response.destroy());
  },
  () => undefined,
  (response) => response.writeHead(307, { Location: '/elsewhere' }).end(),
  (response) => response.writeHead(302, { Location: 'http://127.0.0.1:9/' }).end(),
];

const STATUSES = [200, 201, 204, 304, 400, 402, 403, 404, 409, 418, 429, 500, 502, 503];
const RETRIES = ['0', '1', '99999', '-1', 'soon', '1e9', ''];

/** One answer: as a seed says, sent as it is or changed by value, by text, by status, by header, or on its way. */
class Lie {
  readonly #seed: number;
  readonly #arrived: number;

  constructor(seed: number, arrived: number) {
    this.#seed = seed;
    this.#arrived = arrived;
  }

  #isChanged(part: Part): boolean {
    return randomFrom(this.#seed + PARTS.indexOf(part))() < SHARE;
  }

  #random(part: Part): Random {
    return randomFrom(this.#seed * 7919 + PARTS.indexOf(part) * 104_729 + this.#arrived);
  }

  send(part: Part, response: ServerResponse, url: string, given: { status: number; headers: object }): void {
    const random = this.#random(part);
    const kind = this.#isChanged(part) ? random() : 1;
    if (kind < 0.12) return void oneOf(random, TRANSPORTS)(response, given.status);
    const document = DOCUMENTS[part](url);
    const json = JSON.stringify(kind < 0.6 ? mutateValue(random, document) : document);
    const text = kind >= 0.6 && kind < 0.7 ? mutateText(random, json) : json;
    const status = kind >= 0.7 && kind < 0.8 ? oneOf(random, STATUSES) : given.status;
    const retry = kind >= 0.7 && kind < 0.9 ? { 'Retry-After': oneOf(random, RETRIES) } : {};
    const type = kind >= 0.9 && kind < 1 ? oneOf(random, ['text/html', 'text/plain', '']) : 'application/json';
    const hasBody = status !== 204 && status !== 304;
    response.writeHead(status, { 'Content-Type': type, ...given.headers, ...retry }).end(hasBody ? text : undefined);
  }

  /** The header that says what became of a payment. */
  paymentResponse(): string {
    const random = this.#random('response');
    const document = DOCUMENTS.response('');
    if (!this.#isChanged('response')) return Buffer.from(JSON.stringify(document)).toString('base64');
    const text = random() < 0.7 ? JSON.stringify(mutateValue(random, document)).slice(0, 8_000) : 'no base64 at all';
    return random() < 0.8 ? Buffer.from(text).toString('base64') : oneOf(random, ['', '!', 'bnVsbA==', 'W10=']);
  }
}

/** The part that answers a request, for one that is signed or paid for or not. */
function partFor(path: string, isSigned: boolean, isPaid: boolean): Part {
  if (path === '/') return 'rpc';
  if (path.split('?')[0] === '/v1/catalog') return 'catalog';
  const isFree = path.startsWith('/v1/x402/tokens');
  if (isPaid || (isSigned && isFree)) return 'answer';
  return isFree ? 'challenge' : 'asked';
}

function answer(lie: Lie, { path, headers }: Arrival, response: ServerResponse): void {
  const isPaid = headers['payment-signature'] !== undefined;
  const part = partFor(path, headers['sign-in-with-x'] !== undefined, isPaid);
  const paid = isPaid && { 'PAYMENT-RESPONSE': lie.paymentResponse() };
  const more = part === 'answer' && { ...paid, 'Replay-Nonce': randomBytes(16).toString('hex') };
  const status = ['challenge', 'asked'].includes(part) ? 402 : 200;
  lie.send(part, response, `http://${headers.host}${path}`, { status, headers: { ...more } });
}

/** Starts a gateway, and its cluster's RPC at `/`, that lie. */
export async function startLyingGateway() {
  const gateway = await startStrangeGateway();
  return {
    url: gateway.url,
    stop: gateway.stop,
    /** Lies from now on as this seed says. */
    begin(seed: number): void {
      let arrived = 0;
      gateway.answer((arrival, response) => answer(new Lie(seed, ++arrived), arrival, response));
    },
    /** The payments that arrived since. */
    payments: () => new Set(gateway.arrivals.flatMap(({ headers }) => headers['payment-signature'] ?? [])),
  };
}
