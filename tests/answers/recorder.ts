import { createHash } from 'node:crypto';
import { HEADERS, type Route } from '@asset-gateway/protocol';
import { initOf, targetOf } from '../http/targets.ts';
import { askSigned } from '../kit/wallet.ts';
import type { Wallet } from '../payments/wallets.ts';

/** What differs from run to run: times, random values, keys and addresses. */
const VARYING: readonly [RegExp, string][] = [
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>'],
  [/\b[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} [\d:]{8} GMT\b/g, '<date>'],
  [/\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/g, '<uuid>'],
  [/("(?:nonce|memo|payTo|feePayer|payer|pubkey|ticket|transaction|requestId|asOf)":")[^"]*/g, '$1<…>'],
  [/("(?:slot|blockHeight|timestamp|time|lastUpdatedAt|t)":)\d+/g, '$1"<n>"'],
  [/\b[\w-]{16}\.[\w-]+\.[\w-]{16,}\b/g, '<nonce>'],
  [/127\.0\.0\.1:\d+/g, '<host>'],
];

const normal = (text: string): string =>
  VARYING.reduce((changed, [pattern, name]) => changed.replace(pattern, name), text);

/** The upstream's result, which moves with the market. */
const RESULT = /"result":.*\}$/s;

/** Headers that are JSON inside base64. */
const ENCODED = new Set(['payment-required', 'payment-response', 'sign-in-with-x']);
/** Headers whose values depend on earlier requests. */
const COUNTED = new Set(['ratelimit', 'retry-after', 'replay-nonce', 'x-request-id', 'etag', 'date', 'content-length']);

/** Longer texts are recorded as a digest. */
const MAX_LENGTH = 8_000;
/** Shorter texts are recorded again each time. */
const MIN_REPEATED = 100;

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Writes the answers of one route, each long text once. */
export class AnswerRecorder {
  readonly #seen = new Set<string>();

  #once(text: string): string {
    if (text.length < MIN_REPEATED) return text;
    if (this.#seen.has(text)) return '<as above>';
    this.#seen.add(text);
    return text.length > MAX_LENGTH ? `sha256 ${digest(text)}` : text;
  }

  /** JSON with one member a line, any other text as it is. */
  #body(text: string): string {
    const object = parsed(text);
    if (object === undefined) return this.#once(text);
    return Object.entries(object)
      .map(([name, value]) => `  ${name}: ${this.#once(JSON.stringify(value))}`)
      .join('\n');
  }

  #header(name: string, value: string): string {
    if (COUNTED.has(name)) return `${name}: <…>`;
    if (!ENCODED.has(name)) return `${name}: ${normal(value)}`;
    return `${name}:\n${this.#body(normal(Buffer.from(value, 'base64').toString()))}`;
  }

  /** The status, headers and body of an answer, without what varies. */
  async record(response: Response): Promise<string> {
    const text = normal(await response.text());
    const body = response.status === 200 ? text.replace(RESULT, '"result":"<…>"}') : text;
    const headers = [...response.headers].sort().map(([name, value]) => this.#header(name, value));
    return [String(response.status), ...headers, '', this.#body(body)].join('\n');
  }
}

const withHeader = (init: RequestInit, name: string, value: string): RequestInit => ({
  ...init,
  headers: { ...init.headers, [name]: value },
});

/** Requests that the route refuses or answers without an upstream call. */
export function refusedRequests(route: Route): Readonly<Record<string, readonly [target: string, init: RequestInit]>> {
  const [target, init] = [targetOf(route), initOf(route)];
  const [path = ''] = target.split('?');
  const credential = route.access === 'exact' ? HEADERS.payment : HEADERS.signIn;
  return {
    'as it is': [target, init],
    'by HEAD': [target, { method: 'HEAD' }],
    'by OPTIONS of another origin': [target, withHeader({ method: 'OPTIONS' }, 'Origin', 'https://elsewhere.example')],
    'by DELETE': [target, { method: 'DELETE' }],
    'with an invalid credential': [target, withHeader(init, credential, 'bm9uZQ==')],
    'with an unknown parameter': [`${path}?unknown=1`, init],
    'with a trailing slash': [`${path}/`, init],
    ...(init.body ? { 'with half a body': [target, { ...init, body: '{"' }] } : {}),
  };
}

/** Sends these requests of a route to a gateway, then a valid one with the credential that the route takes. */
export async function* answersTo(
  url: string,
  route: Route,
  { buy }: Pick<Wallet, 'buy'>,
): AsyncGenerator<readonly [title: string, answer: Response]> {
  for (const [title, [target, init]] of Object.entries(refusedRequests(route)))
    yield [title, await fetch(`${url}${target}`, init)];
  const ask = { exact: buy, siwx: askSigned, public: fetch }[route.access];
  yield ['with its credential', await ask(`${url}${targetOf(route)}`, initOf(route))];
}
