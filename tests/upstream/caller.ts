import { challengeIn, signIn } from '@asset-gateway/client';
import type { Issue, Route } from '@asset-gateway/protocol';
import { expect } from 'vitest';
import { parsed } from '../http/error-table.ts';
import { exampleOf } from '../http/targets.ts';
import { readAnswers, wireRequest, writeAndRead } from '../http/wire.ts';
import { CANARY_KEY, CANARY_SECRET, type TestGateway } from '../kit/test-gateway.ts';
import { newSigner } from '../kit/wallet.ts';

export const TOKENS = '/v1/x402/tokens';
export const HEALTH = `${TOKENS}/health`;
export const SNAPSHOTS = `${TOKENS}/assets/market-snapshots`;

/** The headers of a JSON body. */
export const JSON_BODY = { 'Content-Type': 'application/json' };

/** A request of a row; default: its example. */
export function requestOf(route: Route, other: Route['example'] = {}): Ask {
  const { target, init } = exampleOf(route, other);
  return { target, ...init };
}

/** A wallet that signs for the gateway's origin, so that a sign-in opens any path. */
export class Caller {
  readonly #gateway: TestGateway;
  readonly #signer = newSigner();

  constructor(gateway: TestGateway) {
    this.#gateway = gateway;
  }

  /** A fresh sign-in: one header, good for one answer. */
  async signIn(): Promise<Readonly<Record<string, string>>> {
    const { url } = this.#gateway;
    const challenge = challengeIn((await send(this.#gateway, { target: HEALTH })).json);
    if (!challenge) throw new Error('no challenge');
    const bound = { ...challenge, info: { ...challenge.info, uri: url } };
    return { 'SIGN-IN-WITH-X': await signIn(bound, this.#signer, new URL(url)) };
  }

  /** Asks with a fresh sign-in. */
  async ask(ask: Ask): Promise<Answered> {
    return this.askWith(await this.signIn(), ask);
  }

  askWith(signIn: Readonly<Record<string, string>>, ask: Ask): Promise<Answered> {
    return send(this.#gateway, { ...ask, headers: { ...ask.headers, ...signIn } });
  }
}

/**
 * Sends these with one sign-in and expects a refusal of each: no upstream call, no slot taken, and the sign-in still works.
 */
export async function refusedForFree(
  gateway: TestGateway,
  asks: readonly Ask[],
  check: (answer: Answered, ask: Ask) => void,
): Promise<void> {
  const caller = new Caller(gateway);
  const signIn = await caller.signIn();
  const arrivals = gateway.upstream.arrivals.length;
  const left = new Set<number>();
  for (const ask of asks) {
    const answer = await caller.askWith(signIn, ask);
    expect(answer.json.ok ?? false, ask.target).toBe(false);
    check(answer, ask);
    const slots = slotsLeft(answer);
    if (slots !== undefined) left.add(slots);
    expect(gateway.upstream.arrivals.length, ask.target).toBe(arrivals);
  }
  expect(asks.length).toBeGreaterThan(0);
  expect(left.size).toBeLessThanOrEqual(1);
  const opened = await caller.askWith(signIn, { target: HEALTH });
  expect(opened.status).toBe(200);
  expect(gateway.upstream.arrivals.length).toBe(arrivals + 1);
  for (const slots of left) expect(slotsLeft(opened)).toBe(slots - 1);
}

/** The base64 digits of a secret inside a longer text, for each alignment. */
function base64Cores(secret: string): string[] {
  return [0, 1, 2].map((shift) => {
    const digits = Buffer.from('\0'.repeat(shift) + secret).toString('base64');
    return digits.slice(shift === 0 ? 0 : shift + 1).replace(/.?=+$/, '');
  });
}

function spellingsOf(secret: string): string[] {
  const cores = base64Cores(secret);
  const escaped = [...secret].map((character) => `%${character.charCodeAt(0).toString(16)}`).join('');
  return [
    secret,
    encodeURIComponent(secret),
    escaped,
    Buffer.from(secret).toString('hex'),
    ...cores,
    ...cores.map((core) => core.replaceAll('+', '-').replaceAll('/', '_')),
  ];
}

const SPELLINGS = [CANARY_KEY, CANARY_SECRET].flatMap(spellingsOf).map((spelling) => spelling.toLowerCase());

/** Spellings of secrets in a text: raw, base64, hex or URL-encoded. */
export function secretsIn(text: string): string[] {
  const searched = text.toLowerCase();
  return SPELLINGS.filter((spelling) => searched.includes(spelling));
}

/** A request, written byte for byte. */
export interface Ask {
  readonly method?: string;
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** The members that answers of the gateway may have. */
export interface AnswerBody {
  readonly ok?: boolean;
  readonly error?: string;
  readonly message?: string;
  readonly requestId?: string;
  readonly issues?: readonly Issue[];
  readonly retryAfterSeconds?: number;
  readonly result?: unknown;
}

export interface Answered {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  /** The body as it came. */
  readonly bytes: Buffer;
  readonly text: string;
  readonly json: AnswerBody;
}

/** Longer than every deadline. */
const MAX_WAIT_MS = 25_000;

/** Sends one request on its own connection, and expects no secret in the answer. */
export async function send({ port }: Pick<TestGateway, 'port'>, ask: Ask): Promise<Answered> {
  const { method = 'GET', target, headers: given, body: sent } = ask;
  const length = sent !== undefined && { 'Content-Length': Buffer.from(sent).length };
  const fields = { Host: `127.0.0.1:${port}`, Connection: 'close', ...length, ...given };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  const written = [wireRequest(method, target, lines).bytes, sent ?? ''].map((part) => Buffer.from(part as string));
  const raw = await writeAndRead(port, Buffer.concat(written), MAX_WAIT_MS);
  expect(secretsIn(raw), target).toEqual([]);
  const { status = 0, headers = {}, body = '' } = readAnswers(raw, [method])[0] ?? {};
  const bytes = Buffer.from(body, 'latin1');
  const text = bytes.toString('utf8');
  return { status, headers: new Map(Object.entries(headers)), bytes, text, json: parsed(text) };
}

/** Status and code of an answer. */
export const codeOf = ({ status, json }: Answered): string => `${status} ${json.error ?? 'ok'}`;

/** Slots left, by the RateLimit header, if any. */
export const slotsLeft = (answered: Answered): number | undefined => numberIn(answered, /r=(\d+)/);

/** Seconds until the next slot, by the RateLimit header. */
export const slotFreesIn = (answered: Answered): number | undefined => numberIn(answered, /t=(\d+)/);

function numberIn({ headers }: Answered, pattern: RegExp): number | undefined {
  const digits = pattern.exec(headers.get('ratelimit') ?? '')?.[1];
  return digits === undefined ? undefined : Number(digits);
}
