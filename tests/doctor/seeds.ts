import { CORS_HEADERS } from '@asset-gateway/protocol';
import type { Alter, Exchange } from './proxy.ts';

/** A fault of a gateway, and what the doctor has to say about it. */
export interface SeededFault {
  readonly name: string;
  readonly alter: Alter;
  /** Whether a gateway has to be asked anew: the fault changes what is asked, or is one of the connection. */
  readonly isLive?: true;
  /** The only check that finds it. */
  readonly check: string;
  readonly where: RegExp;
  readonly problem: RegExp;
  readonly fix: RegExp;
}

export type Json = Record<string, unknown>;
type Change = (value: never) => void;

/** The challenge's header in lower case. */
export const PAYMENT_REQUIRED = 'payment-required';
/** A route that is sold, and one that a signature opens. */
export const PAID = '/v1/x402/solana/mainnet/alchemy/rpc/getBalance';
export const SIGNED = '/v1/x402/tokens/assets/solana';

/** Whether a target leads to a path, with or without a query. */
export const at = (target: string, path: string): boolean => target.split('?', 1)[0] === path;

function changed(text: string, change: Change): string {
  const value = JSON.parse(text) as never;
  change(value);
  return JSON.stringify(value);
}

/** Headers but for these. */
export const without = (headers: Exchange['headers'], ...names: string[]): Exchange['headers'] =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));

/** Changes the JSON of a document. */
export const inDocument =
  (path: string, change: Change): Alter =>
  ({ target, status, body }) =>
    target === path && status === 200 ? { body: changed(body, change) } : undefined;

/** Headers with another challenge in them. */
export function changedHeader({ headers }: Exchange, change: Change): Exchange['headers'] {
  const header = Buffer.from(headers[PAYMENT_REQUIRED] ?? '', 'base64').toString();
  return { ...headers, [PAYMENT_REQUIRED]: Buffer.from(changed(header, change)).toString('base64') };
}

/** Changes a path's challenge in the header and in the body alike. */
export const inChallenge =
  (path: string, change: Change): Alter =>
  (exchange) =>
    at(exchange.target, path) && exchange.status === 402
      ? { headers: changedHeader(exchange, change), body: changed(exchange.body, change) }
      : undefined;

/** Changes the headers of answers with a status. */
export const headersOf =
  (status: number, change: (headers: Exchange['headers']) => Exchange['headers']): Alter =>
  (exchange) =>
    exchange.status === status ? { headers: change(exchange.headers) } : undefined;

/** A refusal as a gateway writes them, with another status. */
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

/** As much of a challenge as is changed. */
export interface Challenge {
  resource: { url: string; description: string };
  accepts: { amount: string }[];
  extensions: {
    bazaar: { info: { input: { queryParams: Json } }; schema: Json };
    'sign-in-with-x': { info: Json; supportedChains: unknown[] };
  };
}

/** As much of the catalog as is changed. */
export interface Catalog {
  catalog: Json;
  routes: { path: string; priceUsd: string; inputExample: Json }[];
}

/** The entry of a path that the catalog lists. */
export const entryOf = ({ routes }: Catalog, path: string) =>
  routes.find((entry) => entry.path === path) as Catalog['routes'][0];
