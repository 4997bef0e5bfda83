import { INTERVALS, type Interval } from './candles.ts';
import { MINT } from './catalogue.ts';
import { badRequest } from './refusal.ts';

/** The page that a request asks for. */
export interface Page {
  readonly offset: number;
  readonly limit: number;
}

/** What a page may be when the request does not say, and at most. */
export interface PageBounds {
  readonly limit: number;
  readonly maximum: number;
}

/** The range of candles that a request asks for, in Unix seconds. */
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

/** The value of a parameter; an empty one counts as absent. */
export const textOf = (query: URLSearchParams, name: string): string | undefined =>
  query.get(name)?.trim() || undefined;

function integerOf(query: URLSearchParams, name: string, minimum: number): number | undefined {
  const text = textOf(query, name);
  if (text === undefined) {
    return undefined;
  }
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= minimum)) {
    throw badRequest(`Invalid ${name}`);
  }
  return value;
}

/** A positive count, cut silently to the maximum. */
export function limitOf(query: URLSearchParams, bounds: PageBounds, name = 'limit'): number {
  return Math.min(integerOf(query, name, 1) ?? bounds.limit, bounds.maximum);
}

/** The page that `offset` and `limit` ask for; `prefix` is put before their names. */
export function pageOf(query: URLSearchParams, bounds: PageBounds, prefix = ''): Page {
  const named = prefixed(prefix);
  return { offset: integerOf(query, named('offset'), 0) ?? 0, limit: limitOf(query, bounds, named('limit')) };
}

/** One of the allowed words, or nothing when the parameter is absent; a refusal lists the words under `listedAs`. */
export function wordOf<const T extends string>(
  query: URLSearchParams,
  name: string,
  allowed: readonly T[],
  listedAs = 'allowed',
): T | undefined {
  const text = textOf(query, name);
  const word = allowed.find((candidate) => candidate === text);
  if (text !== undefined && word === undefined) {
    throw badRequest(`Invalid ${name}`, { [listedAs]: allowed });
  }
  return word;
}

/** A well-formed mint. */
export function checkedMint(mint: string): string {
  if (!MINT.test(mint)) {
    throw badRequest('Invalid mint');
  }
  return mint;
}

/** A list of mints without repetitions, cut silently to the maximum. */
export function mintsOf(mints: readonly string[], maximum: number): string[] {
  const distinct = [...new Set(mints.map((mint) => mint.trim()).filter((mint) => mint !== ''))];
  return distinct.slice(0, maximum).map(checkedMint);
}

/** The range of candles that a request asks for; `prefix` is put before the parameters' names. */
export function rangeOf(query: URLSearchParams, now: number, prefix = ''): Range {
  const named = prefixed(prefix);
  const interval = wordOf(query, named('interval'), Object.keys(INTERVALS) as Interval[]) ?? '1H';
  const seconds = INTERVALS[interval];
  const clock = Math.floor(now / 1000);
  const to = Math.min(integerOf(query, named('to'), 0) ?? clock, clock + AHEAD);
  const from = integerOf(query, named('from'), 0) ?? to - 7 * DAY;
  if (from < EARLIEST) {
    throw badRequest(`Invalid ${named('from')}`);
  }
  if (from > to) {
    throw badRequest(`${named('from')} must not be after ${named('to')}`);
  }
  const requestedCandles = Math.ceil((to - from) / seconds);
  if (requestedCandles > MAX_CANDLES) {
    throw badRequest('Requested range has too many candles', {
      intervalSeconds: seconds,
      maxCandles: MAX_CANDLES,
      requestedCandles,
    });
  }
  return { interval, seconds, from, to };
}
