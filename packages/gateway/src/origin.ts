import { Refusal } from '@asset-gateway/protocol';
import type { Arrival, Call } from './call.ts';

const MAX_URL_LENGTH = 256;

/** Returns the public origin of a request: scheme, host, port. Throws a refusal of a foreign host. */
export type OriginOf = (arrival: Arrival) => string;

/** Returns the host and port of an origin. */
export const hostOf = (origin: string): string => origin.slice(origin.indexOf('//') + 2);

/** Returns the function for local use. The origin is the loopback name and port that the client used. */
export function localOrigins(listeningHost: string): OriginOf {
  const names = new Set([listeningHost.toLowerCase(), 'localhost', '127.0.0.1', '[::1]']);
  return ({ hosts, port }) => {
    const host = (hosts[0] ?? '').toLowerCase();
    const name = port === 80 ? host : host.slice(0, -`:${port}`.length);
    const dialled = port === 80 ? name : `${name}:${port}`;
    if (dialled !== host || !names.has(name)) throw new Refusal('bad_request', { reason: 'foreign Host' });
    return `http://${host}`;
  };
}

/** Returns the requested URL. If it is too long, returns its path's URL or the bare origin, for which a signature is also valid. */
export function challengedUrl({ path, query }: Call, origin: string): string {
  const full = query === undefined ? `${origin}${path}` : `${origin}${path}?${query}`;
  return [full, `${origin}${path}`].find((url) => url.length <= MAX_URL_LENGTH) ?? origin;
}
