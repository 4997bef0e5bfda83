import { CORS_HEADERS } from '@asset-gateway/protocol';
import type { Alter, Exchange } from '../kit/recording-proxy.ts';

type Names = readonly (string | number)[];
type Headers = Exchange['headers'];
type Patch = Readonly<Record<string, string | undefined>>;

/** The challenge's header in lower case. */
export const PAYMENT_REQUIRED = 'payment-required';
/** A paid route and a signed route. */
export const PAID = '/v1/x402/solana/mainnet/alchemy/rpc/getBalance';
export const SIGNED = '/v1/x402/tokens/assets/solana';

/** Whether an answer is for this path, with or without a query. */
export const isAt = ({ target }: Exchange, path: string): boolean => target.split('?', 1)[0] === path;

/** Changes an answer under a condition. */
export const when =
  (holds: (exchange: Exchange) => boolean, change: ReturnType<Alter> | Alter): Alter =>
  (exchange) => {
    if (!holds(exchange)) return undefined;
    return typeof change === 'function' ? change(exchange) : change;
  };

/**
 * JSON in which the value at a path of names is another one; undefined removes it. A function makes it of the old one. A route in a list
 * is named by its path.
 */
function changed(text: string, names: Names, value: unknown): string {
  const root = { json: JSON.parse(text) };
  let [inside, last]: [Record<string, unknown>, string] = [root, 'json'];
  for (const name of names) {
    const found = inside[last];
    const isRoute = Array.isArray(found) && typeof name === 'string';
    last = String(isRoute ? found.findIndex(({ path }) => path === name) : name);
    inside = found as Record<string, unknown>;
  }
  if (value === undefined && Array.isArray(inside)) inside.splice(Number(last), 1);
  else inside[last] = typeof value === 'function' ? value(inside[last]) : value;
  return JSON.stringify(root.json);
}

/** Headers with these values, or without those that have none. */
const patched = (headers: Headers, values: Patch): Headers =>
  Object.fromEntries(
    Object.entries({ ...headers, ...values }).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );

/** Changes headers of an answer. */
export const withHeaders =
  (values: Patch): Alter =>
  ({ headers }) => ({ headers: patched(headers, values) });

/** Changes headers of answers with this status. */
export const headersOf = (status: number, values: Patch): Alter =>
  when((exchange) => exchange.status === status, withHeaders(values));

/** Changes a JSON document. */
export const inDocument = (path: string, names: Names, value?: unknown): Alter =>
  when(
    ({ target, status }) => target === path && status === 200,
    ({ body }) => ({ body: changed(body, names, value) }),
  );

/** Changes a path's challenge in its header only. */
export const inHeader = (path: string, names: Names, value?: unknown): Alter =>
  when(
    (exchange) => isAt(exchange, path) && exchange.status === 402,
    ({ headers }) => {
      const challenge = Buffer.from(headers[PAYMENT_REQUIRED] ?? '', 'base64').toString();
      const header = Buffer.from(changed(challenge, names, value)).toString('base64');
      return { headers: { ...headers, [PAYMENT_REQUIRED]: header } };
    },
  );

/** Changes a path's challenge in header and body. */
export const inChallenge =
  (path: string, names: Names, value?: unknown): Alter =>
  (exchange) => {
    const inBoth = inHeader(path, names, value)(exchange);
    return inBoth && { ...inBoth, body: changed(exchange.body, names, value) };
  };

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
