import { ADDRESS_PATTERN } from '@asset-gateway/protocol';
import { INTERVALS } from '../candles.ts';
import { type Asset, type Resolution, resolveReference, type Variant } from '../catalogue.ts';
import { primaryOf } from '../market.ts';

/** A request: decoded path segment, query, body, and the time in milliseconds. */
export interface RouteRequest {
  readonly reference: string;
  readonly query: URLSearchParams;
  readonly body: string;
  readonly now: number;
}

/** A refusal by the upstream. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Returns the upstream's 400. */
export const badRequest = (message: string): Refusal => new Refusal(400, message);

const notFound = (message: string): Refusal => new Refusal(404, message);

/** Returns how many rows a request asks for. */
export function limitOf(query: URLSearchParams, byDefault: number, name = 'limit'): number {
  return Number(query.get(name) ?? byDefault);
}

/** Returns the requested page. `prefix` precedes the names of its parameters. */
export function pageOf(query: URLSearchParams, byDefault: number, prefix: 'markets' | '' = '') {
  const [offset, limit] = prefix === '' ? ['offset', 'limit'] : ['marketsOffset', 'marketsLimit'];
  return { offset: Number(query.get(offset) ?? 0), limit: limitOf(query, byDefault, limit) };
}

/** Returns the rows on this page. */
export const cut = <Row>(rows: readonly Row[], { offset, limit }: ReturnType<typeof pageOf>): Row[] =>
  rows.slice(offset, offset + limit);

/** Checks the form of a mint. */
export function checkedMint(mint: string): string {
  if (!ADDRESS_PATTERN.test(mint)) throw badRequest('Invalid mint');
  return mint;
}

const WEEK = 604_800;
const MAX_CANDLES = 10_000;

/** Returns the requested range of candles in Unix seconds, including candles that start at `to`. */
export function rangeOf(query: URLSearchParams, now: number, prefix: 'ohlcv' | '' = '') {
  const [name, start, end] = prefix === '' ? ['interval', 'from', 'to'] : ['ohlcvInterval', 'ohlcvFrom', 'ohlcvTo'];
  const interval = query.get(name) ?? '1H';
  const clock = Math.floor(now / 1000);
  const to = Math.min(Number(query.get(end) ?? clock), clock);
  const from = Number(query.get(start) ?? clock - WEEK);
  const seconds = INTERVALS[interval] ?? WEEK;
  if (from > to) throw badRequest('The range is empty');
  if ((to - from) / seconds > MAX_CANDLES) throw badRequest(`The range has more than ${MAX_CANDLES} candles`);
  return { interval, seconds, from, to };
}

/** Returns the asset in the path. An unknown mint is an asset too. */
export function resolutionOf(reference: string): Resolution {
  const found = resolveReference(reference);
  if (found === undefined) throw notFound('Asset not found');
  return found;
}

/** Returns the asset of a request, and the variant that the query or path names, else the primary one. */
export function subjectOf({ reference, query }: RouteRequest): { asset: Asset; variant: Variant | undefined } {
  const { asset, mint } = resolutionOf(reference);
  const wanted = query.get('mint') ?? mint;
  const variant = wanted === null ? primaryOf(asset) : asset.variants.find((each) => each.mint === wanted);
  if (wanted !== null && variant === undefined) throw badRequest('`mint` is not a variant of this asset');
  return { asset, variant };
}

/** Returns the same, for a route that needs a variant. */
export function chosen(request: RouteRequest): { asset: Asset; variant: Variant } {
  const { asset, variant } = subjectOf(request);
  if (variant === undefined) throw notFound('No variants available');
  return { asset, variant };
}
