import { randomUUID } from 'node:crypto';
import type { Answer, Arrival } from '../upstream.ts';
import { Refusal } from './answers/request.ts';
import { cacheControlOf, matchUpstream, type UpstreamRoute } from './routes.ts';

/** The valid keys and the clock. */
interface TokensApiState {
  readonly keys: ReadonlySet<string>;
  readonly now: () => number;
}

/** The Content-Type of answers. */
export const JSON_TYPE = 'application/json';
const NOT_FOUND_PAGE =
  '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>404: This page could not be found.</title></head>' +
  '<body><h1>404</h1><h2>This page could not be found.</h2></body></html>';

/** An answer of JSON. */
export function jsonAnswer(status: number, value: unknown, cacheControl = 'no-store'): Answer {
  const headers = { 'content-type': JSON_TYPE, 'cache-control': cacheControl };
  return { status, headers, body: JSON.stringify(value) };
}

/** An error of the upstream. */
export const errorAnswer = (status: number, tag: string, message: string): Answer =>
  jsonAnswer(status, { error: { _tag: tag, message } });

function checkKey(given: unknown, keys: ReadonlySet<string>): void {
  if (given === undefined || given === '') throw new Refusal(401, 'UnauthorizedError', 'Missing API key');
  if (typeof given !== 'string' || !keys.has(given)) throw new Refusal(401, 'UnauthorizedError', 'Invalid API key');
}

const accepts = ({ httpMethod }: UpstreamRoute, verb: string): boolean =>
  verb === httpMethod || (verb === 'HEAD' && httpMethod === 'GET');

/** The request id of an answer: the received one, a new one for health, none on the framework's pages. */
export function requestIdOf({ target, method, headers }: Arrival): string | undefined {
  const match = matchUpstream(target.split('?')[0] ?? '');
  if (match === undefined || !accepts(match.route, method)) return undefined;
  const given = headers['x-request-id'];
  return match.route.isOpen || typeof given !== 'string' || given === '' ? randomUUID() : given;
}

/** The upstream's answer to a request. */
export function serve({ target, method, headers, body }: Arrival, { keys, now }: TokensApiState): Answer {
  const [path = '', ...rest] = target.split('?');
  const match = matchUpstream(path);
  if (match === undefined) {
    const page = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' };
    return { status: 404, headers: page, body: NOT_FOUND_PAGE };
  }
  const { route, reference } = match;
  if (!accepts(route, method)) {
    return { status: 405, headers: { allow: route.httpMethod, 'cache-control': 'no-store' }, body: '' };
  }
  try {
    if (!route.isOpen) checkKey(headers['x-api-key'], keys);
    const query = new URLSearchParams(rest.join('?'));
    return jsonAnswer(200, route.answer({ reference, query, body, now: now() }), cacheControlOf(route));
  } catch (error) {
    return error instanceof Refusal
      ? errorAnswer(error.status, error.tag, error.message)
      : errorAnswer(500, 'InternalServerError', 'Internal server error');
  }
}
