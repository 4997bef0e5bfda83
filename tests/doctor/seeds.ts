import { CORS_HEADERS } from '@asset-gateway/protocol';
import type { Alter, Exchange } from './proxy.ts';

/** A fault of a gateway and the finding that it must cause. */
export interface SeededFault {
  readonly name: string;
  readonly alter: Alter;
  /** Needs a live gateway: the fault changes the requests or the connection. */
  readonly isLive?: true;
  /** The only check that finds it; tests/doctor/findings.txt has what it says. */
  readonly check: string;
}

export type Json = Record<string, unknown>;
type Change = (value: never) => void;

/** The challenge's header in lower case. */
export const PAYMENT_REQUIRED = 'payment-required';
/** A paid route and a signed route. */
export const PAID = '/v1/x402/solana/mainnet/alchemy/rpc/getBalance';
export const SIGNED = '/v1/x402/tokens/assets/solana';

/** Whether a target has this path, with or without a query. */
export const at = (target: string, path: string): boolean => target.split('?', 1)[0] === path;

function changed(text: string, change: Change): string {
  const value = JSON.parse(text) as never;
  change(value);
  return JSON.stringify(value);
}

/** Headers without these names. */
export const without = (headers: Exchange['headers'], ...names: string[]): Exchange['headers'] =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));

/** Changes a JSON document. */
export const inDocument =
  (path: string, change: Change): Alter =>
  ({ target, status, body }) =>
    target === path && status === 200 ? { body: changed(body, change) } : undefined;

/** Headers with a changed challenge. */
export function changedHeader({ headers }: Exchange, change: Change): Exchange['headers'] {
  const header = Buffer.from(headers[PAYMENT_REQUIRED] ?? '', 'base64').toString();
  return { ...headers, [PAYMENT_REQUIRED]: Buffer.from(changed(header, change)).toString('base64') };
}

/** Changes a path's challenge in header and body. */
export const inChallenge =
  (path: string, change: Change): Alter =>
  (exchange) =>
    at(exchange.target, path) && exchange.status === 402
      ? { headers: changedHeader(exchange, change), body: changed(exchange.body, change) }
      : undefined;

/** Changes the headers of answers with this status. */
export const headersOf =
  (status: number, change: (headers: Exchange['headers']) => Exchange['headers']): Alter =>
  (exchange) =>
    exchange.status === status ? { headers: change(exchange.headers) } : undefined;

/** A refusal of a gateway with this status. */
export const refusal = (status: number) => ({
  status,
  headers: {
    ...Object.fromEntries(Object.entries(CORS_HEADERS).map(([name, value]) => [name.toLowerCase(), value])),
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  },
  body: '{"ok":false,"error":"refused","message":"Refused."}',
});

/** The changed part of a challenge. */
export interface Challenge {
  resource: { url: string; description: string };
  accepts: { amount: string }[];
  extensions: {
    bazaar: { info: { input: { queryParams: Json } }; schema: Json };
    'sign-in-with-x': { info: Json; supportedChains: unknown[] };
  };
}

/** The changed part of the catalog. */
export interface Catalog {
  catalog: Json;
  routes: { path: string; priceUsd: string; inputExample: Json }[];
}

/** The catalog entry of a path. */
export const entryOf = ({ routes }: Catalog, path: string) =>
  routes.find((entry) => entry.path === path) as Catalog['routes'][0];
