import { Refusal } from '@asset-gateway/protocol';
import type { Arrival } from '../call.ts';

/** The public origin that a request was made to: scheme, host, port. Refuses a request to any other. */
export type OriginOf = (arrival: Arrival) => string;

/** The configured origin, whatever Host says. */
export const fixedOrigin =
  (origin: string): OriginOf =>
  () =>
    origin;

/** For local use: the loopback name that the client dialled, on the port that it reached. */
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
