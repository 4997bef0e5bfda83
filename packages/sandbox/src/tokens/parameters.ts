import { INTERVALS, type Interval } from './candles.ts';
import { MINT } from './catalogue.ts';

/** The upstream's error tags that the sandbox uses. */
export type Tag =
  | 'BadRequestError'
  | 'UnauthorizedError'
  | 'ForbiddenError'
  | 'NotFoundError'
  | 'RateLimitedError'
  | 'InternalServerError'
  | 'UpstreamDataError'
  | 'UnknownError';

/** A refusal of the upstream. Its tags and short phrases are the upstream's own, its sentences are not. */
export class Refusal extends Error {
  readonly status: number;
  readonly tag: Tag;
  readonly details: unknown;

  constructor(status: number, tag: Tag, message: string, details?: unknown) {
    super(message);
    this.status = status;
    this.tag = tag;
    this.details = details;
  }
}

/** The upstream's 400. */
export const badRequest = (message: string, details?: unknown): Refusal =>
  new Refusal(400, 'BadRequestError', message, details);

/** The upstream's 404. */
export const notFound = (message: string): Refusal => new Refusal(404, 'NotFoundError', message);

/** The body of an error. */
export const errorBody = (tag: Tag, message: string, details?: unknown) => ({ error: { _tag: tag, message, details } });

/** The requested page. */
interface Page {
  readonly offset: number;
  readonly limit: number;
}

/** The default and the maximum page size. */
interface PageBounds {
  readonly limit: number;
  readonly maximum: number;
}

/** The requested range of candles in Unix seconds, including candles that start at `to`. */
export interface Range {
  readonly interval: Interval;
  readonly seconds: number;
  readonly from: number;
  readonly to: number;
}

const DAY = 86_400;
const EARLIEST = 1_262_304_000;
const AHEAD = 300;
const MAX_CANDLES = 10_000;

const prefixed = (prefix: string) => (name: string) =>
  prefix === '' ? name : `${prefix}${name[0]?.toUpperCase()}${name.slice(1)}`;

/** The trimmed value of a parameter; undefined if empty. */
export const textOf = (query: URLSearchParams, name: string): string | undefined =>
  query.get(name)?.trim() || undefined;

// The upstream parses numbers like JavaScript: 1e1 is 10, and an empty text is 0.
function integer(text: string, name: string, minimum: number): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < minimum) {
    throw badRequest(`Invalid ${name}`, `Expected an integer from ${minimum}`);
  }
  return value;
}

/** A positive limit, silently reduced to the maximum. */
export function limitOf(query: URLSearchParams, bounds: PageBounds, name = 'limit'): number {
  const text = query.get(name);
  return Math.min(text === null ? bounds.limit : integer(text, name, 1), bounds.maximum);
}

/** Reads `offset` and `limit`, with a prefix before their names. */
export function pageOf(query: URLSearchParams, bounds: PageBounds, prefix = ''): Page {
  const named = prefixed(prefix);
  const offset = integer(query.get(named('offset')) ?? '0', named('offset'), 0);
  return { offset, limit: limitOf(query, bounds, named('limit')) };
}

/** One of the allowed words, if present; a refusal lists them. */
export function wordOf<const T extends string>(
  query: URLSearchParams,
  name: string,
  allowed: readonly T[],
): T | undefined {
  const raw = query.get(name);
  const word = allowed.find((candidate) => candidate === raw?.trim());
  if (raw && word === undefined) throw badRequest(`Invalid ${name}: ${raw}`, { allowed });
  return word;
}

/** Checks the form of a mint. */
export function checkedMint(mint: string): string {
  if (!MINT.test(mint)) throw badRequest('Invalid mint', `Expected a text that matches ${MINT.source}`);
  return mint;
}

// Only here, an empty number counts as absent.
const secondsOf = (query: URLSearchParams, name: string): number | undefined => {
  const text = query.get(name);
  return text ? integer(text, name, 0) : undefined;
};

function intervalOf(query: URLSearchParams, name: string): Interval {
  const text = query.get(name) || '1H';
  if (!Object.hasOwn(INTERVALS, text)) throw badRequest(`Invalid ${name}`, `Expected one of ${Object.keys(INTERVALS)}`);
  return text as Interval;
}

/** Reads the range of candles, with a prefix before the parameters' names. */
export function rangeOf(query: URLSearchParams, now: number, prefix = ''): Range {
  const named = prefixed(prefix);
  const interval = intervalOf(query, named('interval'));
  const seconds = INTERVALS[interval];
  const clock = Math.floor(now / 1000);
  const from = secondsOf(query, named('from')) ?? clock - 7 * DAY;
  const requested = secondsOf(query, named('to')) ?? clock;
  if (from > requested) throw badRequest(`\`${named('from')}\` is after \`${named('to')}\``);
  if (from < EARLIEST) throw badRequest(`\`${named('from')}\` is before anything was traded`, { minFrom: EARLIEST });
  const to = Math.min(requested, clock + AHEAD);
  if (from > to) throw badRequest(`\`${named('from')}\` is in the future`);
  const requestedCandles = Math.floor((to - from) / seconds) + 1;
  if (requestedCandles > MAX_CANDLES) {
    const details = { intervalSeconds: seconds, maxCandles: MAX_CANDLES, requestedCandles };
    throw badRequest(`The range has more than ${MAX_CANDLES} candles`, details);
  }
  return { interval, seconds, from, to };
}
