import { hash } from 'node:crypto';
import type { Call } from '../../call.ts';

const sha256 = (data: string | Uint8Array): string => hash('sha256', data);

/** What a payment is bound to: the route, its path parameters, the query in any order, the body to the byte. */
export function requestHashOf({ route, parameters, query, inbound }: Call): string {
  const pairs = query ? query.split('&').sort() : [];
  const path = Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1));
  const body = route.httpMethod === 'POST' ? sha256(inbound.body) : '';
  return sha256(JSON.stringify([route.id, path, pairs, body]));
}

/** A payment is known by its network and its message, however it is written down. */
export const paymentKeyOf = (network: string, message: Uint8Array): string => `${network}:${sha256(message)}`;
