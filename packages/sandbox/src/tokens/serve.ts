import { randomUUID } from 'node:crypto';
import type { Route } from '@asset-gateway/protocol';
import { upstreamRows } from '../rows.ts';
import { type Answer, type Arrival, jsonAnswer } from '../upstream.ts';
import { marketSnapshots, variantMarkets } from './answers/batch.ts';
import { assetDetail } from './answers/detail.ts';
import * as facts from './answers/facts.ts';
import { Refusal, type RouteRequest } from './answers/request.ts';
import { curated, resolve, search } from './answers/search.ts';
import { markets, variantMarket, variants, variantTopMarkets } from './answers/variants.ts';

/** The upstream's answer to a route, its cache rule, and whether the route needs a key. */
interface RouteAnswer {
  readonly answer: (request: RouteRequest) => unknown;
  readonly isOpen?: boolean;
  readonly maxAge?: number;
  readonly stale?: number;
}

/** The answers by method. Other rows of the table answer with their example. */
const ANSWERS: Readonly<Record<string, RouteAnswer>> = {
  health: { answer: () => ({ ok: true }), isOpen: true },
  search: { answer: search, maxAge: 120 },
  resolve: { answer: resolve, maxAge: 120 },
  curated: { answer: curated, maxAge: 30, stale: 60 },
  marketSnapshots: { answer: marketSnapshots, maxAge: 60 },
  variantMarkets: { answer: variantMarkets, maxAge: 60 },
  riskSummaryByMint: { answer: facts.riskSummaryByMint },
  assetDetail: { answer: assetDetail, maxAge: 30 },
  variants: { answer: variants, maxAge: 30 },
  variantTopMarkets: { answer: variantTopMarkets, maxAge: 60 },
  variantMarket: { answer: variantMarket, maxAge: 60 },
  markets: { answer: markets, maxAge: 60 },
  ohlcv: { answer: facts.ohlcv, maxAge: 60, stale: 300 },
  priceChart: { answer: facts.priceChart, maxAge: 60, stale: 300 },
  profile: { answer: facts.profile, maxAge: 300, stale: 600 },
  tickers: { answer: facts.tickers, maxAge: 300, stale: 600 },
  riskSummary: { answer: facts.riskSummary },
  riskDetails: { answer: facts.riskDetails },
  description: { answer: facts.description, maxAge: 300, stale: 600 },
};

/** Returns the upstream's answer to a row. */
export const routeAnswer = ({ method, result }: Route): RouteAnswer =>
  ANSWERS[method] ?? { answer: () => result.example };

const rowsAt = upstreamRows('tokens');

/** Returns the route of a request, if any, and whether it accepts the request's method. */
function routeOf({ target, method }: Arrival) {
  const found = rowsAt(target.split('?')[0] ?? '');
  const [place] = found?.rows.values() ?? [];
  if (found === undefined || place === undefined) return undefined;
  const { httpMethod, row } = place;
  const isTaken = method === httpMethod || (method === 'HEAD' && httpMethod === 'GET');
  return { ...routeAnswer(row), httpMethod, isTaken, reference: found.parameters.assetId ?? '' };
}

/** Returns the Cache-Control of an answer. */
function cacheControlOf({ maxAge, stale }: RouteAnswer): string {
  const whileStale = stale === undefined ? '' : `, stale-while-revalidate=${stale}`;
  return maxAge === undefined ? 'no-store' : `private, max-age=${maxAge}${whileStale}`;
}

const NOT_FOUND_PAGE =
  '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>404: This page could not be found.</title></head>' +
  '<body><h1>404</h1><h2>This page could not be found.</h2></body></html>';

/** Returns an answer with a value and its cache rule. */
export const valueAnswer = (status: number, value: unknown, cacheControl = 'no-store'): Answer =>
  jsonAnswer(status, JSON.stringify(value), { 'cache-control': cacheControl });

/** The upstream's error tags and usual messages, by status. */
const ERRORS: Readonly<Record<number, readonly [tag: string, message: string]>> = {
  400: ['BadRequestError', 'Bad request'],
  401: ['UnauthorizedError', 'Invalid API key'],
  403: ['ForbiddenError', 'Insufficient scope'],
  404: ['NotFoundError', 'Asset not found'],
  429: ['RateLimitedError', 'Rate limited'],
  502: ['UpstreamDataError', 'Upstream data error'],
};

/** Returns an error of the upstream. By default it has the status's usual message. */
export function errorAnswer(status: number, message?: string): Answer {
  const [tag, usual] = ERRORS[status] ?? ['InternalServerError', 'Internal server error'];
  return valueAnswer(status, { error: { _tag: tag, message: message ?? usual } });
}

/** Returns an answer's request id: the received one, a new one for health, none on the framework's pages. */
export function requestIdOf(arrival: Arrival): string | undefined {
  const route = routeOf(arrival);
  if (!route?.isTaken) return undefined;
  const given = arrival.headers['x-request-id'];
  return route.isOpen || typeof given !== 'string' || given === '' ? randomUUID() : given;
}

function checkKey(given: unknown, keys: ReadonlySet<string>): void {
  if (given === undefined || given === '') throw new Refusal(401, 'Missing API key');
  if (typeof given !== 'string' || !keys.has(given)) throw new Refusal(401, 'Invalid API key');
}

/** Returns the upstream's answer to a request with one of these keys. `now`: the time in milliseconds. */
export function serve(arrival: Arrival, keys: ReadonlySet<string>, now: number): Answer {
  const { target, headers, body } = arrival;
  const route = routeOf(arrival);
  if (route === undefined) {
    const page = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' };
    return { status: 404, headers: page, body: NOT_FOUND_PAGE };
  }
  const { httpMethod, isOpen, isTaken, reference, answer } = route;
  if (!isTaken) return { status: 405, headers: { allow: httpMethod, 'cache-control': 'no-store' }, body: '' };
  try {
    if (!isOpen) checkKey(headers['x-api-key'], keys);
    const query = new URLSearchParams(target.split('?').slice(1).join('?'));
    return valueAnswer(200, answer({ reference, query, body, now }), cacheControlOf(route));
  } catch (error) {
    return error instanceof Refusal ? errorAnswer(error.status, error.message) : errorAnswer(500);
  }
}
