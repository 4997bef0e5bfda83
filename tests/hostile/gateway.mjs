// A gateway and its cluster's RPC that lie: which answers, and how, follows from a seed. It runs in a process of its own.
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import bs58 from 'bs58';
import { randomFrom } from '../../scripts/simulate/random.mjs';
import { mutateText, mutateValue, oneOf } from './values.mjs';

const NETWORK = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const PARTS = ['challenge', 'asked', 'catalog', 'answer', 'response', 'rpc'];
const SHARE = 0.3;

const address = () => bs58.encode(randomBytes(32));
const [PAY_TO, FEE_PAYER] = [address(), address()];

let seed = 0;
let arrived = 0;
let payments = [];

const requirement = (amount) => ({
  scheme: 'exact',
  network: NETWORK,
  amount,
  asset: USDC,
  payTo: PAY_TO,
  maxTimeoutSeconds: 60,
  extra: { feePayer: FEE_PAYER, memo: randomBytes(24).toString('base64url'), ticket: 'ticket' },
});

const BALANCES = '/v1/x402/helius/wallet/balances/:wallet';
const SEARCH = '/v1/x402/tokens/assets/search';
const listed = (path, priceUsd, accessMode) => ({
  httpMethod: 'GET',
  path,
  priceUsd,
  accessMode,
  description: 'A route.',
  inputSchema: {
    type: 'object',
    properties: { q: { type: 'string', pattern: '^.{0,200}$' } },
    additionalProperties: false,
  },
  pathParamsSchema: { type: 'object', properties: { wallet: { type: 'string' } } },
});

const documents = {
  challenge: (url) => ({
    ok: false,
    error: 'sign_in_required',
    message: 'Sign in.',
    requestId: 'r-1',
    x402Version: 2,
    resource: { url, description: 'A route.', mimeType: 'application/json' },
    accepts: [],
    extensions: {
      'sign-in-with-x': {
        info: {
          domain: new URL(url).host,
          uri: url,
          version: '1',
          nonce: randomBytes(16).toString('hex'),
          issuedAt: new Date().toISOString(),
          expirationTime: new Date(Date.now() + 300_000).toISOString(),
          statement: 'Sign in to ask.',
        },
        supportedChains: [{ chainId: NETWORK, type: 'ed25519' }],
      },
    },
  }),
  asked: (url) => ({
    ok: false,
    error: 'payment_required',
    message: 'Pay.',
    requestId: 'r-1',
    payment: { state: 'unused' },
    x402Version: 2,
    resource: { url, description: 'A route.', mimeType: 'application/json' },
    accepts: [requirement('500'), requirement('50000')],
    extensions: {},
  }),
  catalog: () => ({
    ok: true,
    version: 1,
    routes: [listed(BALANCES, '0.0005', 'exact'), listed(SEARCH, '0.00', 'siwx')],
  }),
  answer: () => ({
    ok: true,
    provider: 'helius',
    cluster: 'mainnet',
    surface: 'wallet',
    method: 'balances',
    priceUsd: '0.0005',
    result: { query: 'gold', results: [{ assetId: 'gold' }], balances: [{ mint: USDC, symbol: 'USDC', balance: 1.5 }] },
  }),
  response: () => ({ success: true, transaction: bs58.encode(randomBytes(64)), network: NETWORK, payer: address() }),
  rpc: () => ({
    jsonrpc: '2.0',
    id: 1,
    result: { context: { slot: 1 }, value: { blockhash: address(), lastValidBlockHeight: 1000 } },
  }),
};

/** How an answer travels when it is not simply sent. */
const transports = {
  drip(response, status) {
    response.writeHead(status, { 'Content-Type': 'application/json' }).write('{');
    const timer = setInterval(() => response.write(' '), 50);
    response.once('close', () => clearInterval(timer));
  },
  flood(response, status) {
    response.writeHead(status, { 'Content-Type': 'application/json' });
    const part = Buffer.alloc(262_144, ' ');
    const more = () => response.destroyed || response.write(part, more);
    more();
  },
  reset: (response) => response.socket.destroy(),
  cut(response, status) {
    response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': '1000' });
    response.write('{"ok":true,', () => response.socket.destroy());
  },
  silent() {},
  redirect: (response) => void response.writeHead(307, { Location: '/elsewhere' }).end(),
  redirectAway: (response) => void response.writeHead(302, { Location: 'http://127.0.0.1:9/' }).end(),
};

const STATUSES = [200, 201, 204, 304, 400, 402, 403, 404, 409, 418, 429, 500, 502, 503];
const RETRIES = ['0', '1', '99999', '-1', 'soon', '1e9', ''];

/** Sends a document as it is, or changed as the seed says: by value, by text, by status, by header, or on its way. */
function send(part, response, { status, document, headers = {} }) {
  const random = randomFrom(seed * 7919 + PARTS.indexOf(part) * 104_729 + arrived);
  const isChanged = randomFrom(seed + PARTS.indexOf(part))() < SHARE;
  const kind = isChanged ? random() : 1;
  if (kind < 0.12) return oneOf(random, Object.values(transports))(response, status);
  if (kind < 0.6) document = mutateValue(random, document);
  let text = JSON.stringify(document);
  if (kind >= 0.6 && kind < 0.7) text = mutateText(random, text);
  const as = kind >= 0.7 && kind < 0.8 ? oneOf(random, STATUSES) : status;
  if (kind >= 0.7 && kind < 0.9) headers = { ...headers, 'Retry-After': oneOf(random, RETRIES) };
  const type = kind >= 0.9 && kind < 1 ? oneOf(random, ['text/html', 'text/plain', '']) : 'application/json';
  response.writeHead(as, { 'Content-Type': type, ...headers }).end(as === 204 || as === 304 ? undefined : text);
}

/** The header that says what became of a payment, changed as the seed says. */
function paymentResponse() {
  const random = randomFrom(seed * 31 + arrived);
  const document = documents.response();
  if (randomFrom(seed + PARTS.indexOf('response'))() >= SHARE)
    return Buffer.from(JSON.stringify(document)).toString('base64');
  const text = random() < 0.7 ? JSON.stringify(mutateValue(random, document)).slice(0, 8_000) : 'no base64 at all';
  return random() < 0.8 ? Buffer.from(text).toString('base64') : oneOf(random, ['', '!', 'bnVsbA==', 'W10=']);
}

function answer(request, response) {
  arrived++;
  const { url = '/', headers, method } = request;
  const whole = `http://${headers.host}${url}`;
  const payment = headers['payment-signature'];
  if (payment !== undefined) payments.push(payment);
  if (method === 'POST') return send('rpc', response, { status: 200, document: documents.rpc() });
  if (url === '/v1/catalog') return send('catalog', response, { status: 200, document: documents.catalog() });
  const isFree = url.startsWith(SEARCH);
  const isOpen = payment !== undefined || (headers['sign-in-with-x'] !== undefined && isFree);
  if (!isOpen) {
    const part = isFree ? 'challenge' : 'asked';
    return send(part, response, { status: 402, document: documents[part](whole) });
  }
  const paid = payment === undefined ? {} : { 'PAYMENT-RESPONSE': paymentResponse() };
  const nonce = { 'Replay-Nonce': randomBytes(16).toString('hex') };
  send('answer', response, { status: 200, document: documents.answer(), headers: { ...paid, ...nonce } });
}

const server = createServer((request, response) => {
  response.on('error', () => undefined);
  request.resume().once('end', () => answer(request, response));
});
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
process.on('message', ({ next }) => {
  process.send({ payments });
  [seed, arrived, payments] = [next, 0, []];
});
process.once('disconnect', () => process.exit());
