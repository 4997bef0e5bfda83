import { CORS_HEADERS } from '@asset-gateway/protocol';
import type { Alter, Exchange } from '../kit/recording-proxy.ts';

/** A fault of a gateway, the only check that finds it, and how it comes about; tests/doctor/findings.txt has what is said of it. */
export type SeededFault = readonly [name: string, check: string, alter: Alter];

/** Faults by the check that finds them. */
export const seeded = (faults: Readonly<Record<string, Readonly<Record<string, Alter>>>>): readonly SeededFault[] =>
  Object.entries(faults).flatMap(([check, alters]) =>
    Object.entries(alters).map(([name, alter]) => [name, check, alter] as const),
  );

export type Json = Record<string, unknown>;
type Change = (value: never) => void;
type Headers = Exchange['headers'];

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

/** Headers with these values, or without those that have none. */
export const patched = (headers: Headers, values: Readonly<Record<string, string | undefined>>): Headers =>
  Object.fromEntries(
    Object.entries({ ...headers, ...values }).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );

/** Changes a JSON document. */
export const inDocument =
  (path: string, change: Change): Alter =>
  ({ target, status, body }) =>
    target === path && status === 200 ? { body: changed(body, change) } : undefined;

/** Headers with a changed challenge. */
export function changedHeader({ headers }: Exchange, change: Change): Headers {
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

/** Changes headers of answers with this status. */
export const headersOf =
  (status: number, values: Readonly<Record<string, string | undefined>>): Alter =>
  (exchange) =>
    exchange.status === status ? { headers: patched(exchange.headers, values) } : undefined;

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
