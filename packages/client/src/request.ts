import { microsOfUsd } from '@asset-gateway/protocol/wire';
import type { MethodRow, MethodTable } from './call.ts';
import { GatewayError } from './error.ts';
import type { Outgoing } from './exchange.ts';
import { fits, type SentRequest } from './sent-request.ts';
import type { CallSettings, PaymentWish } from './settings.ts';

/** A method call. */
export interface MethodCall {
  /** `<family>.<method>` */
  readonly name: string;
  readonly values: readonly unknown[];
  readonly base: URL;
  readonly settings: CallSettings;
  /** Writes JSON. */
  readonly write: (value: unknown) => string;
}

/** The cluster and provider of a paid call, and the credit that it buys. */
export interface Target extends Pick<Outgoing, 'buys'> {
  readonly cluster?: string | undefined;
  readonly provider?: string | undefined;
}

const DOTS = /^\.{1,2}$/;
const PARAMETER = /:([a-z]+)/gi;
function queryString(values: object = {}): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return given.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`).join('&');
}

/** Returns the JSON body, without omitted positional parameters at its end. */
function bodyOf({ takes }: MethodRow, values: readonly unknown[], write: MethodCall['write']): string {
  if (takes === 'params')
    return write({ params: values.slice(0, values.findLastIndex((value) => value !== undefined) + 1) });
  if (takes === 'named') return write({ params: values[0] });
  return write(takes === 'body' ? (values[0] ?? {}) : {});
}

/** Returns the request of a call. */
export function outgoingFor(row: MethodRow, call: MethodCall, target: Target): Outgoing {
  const { cluster, provider, buys } = target;
  const values = [...call.values];
  const path = row.path.replace(PARAMETER, (_, name: string) => {
    const chosen = String(name in target ? target[name as keyof Target] : values.shift());
    // `..` would lead to another route.
    if (DOTS.test(chosen)) throw invalid(`${name} cannot be ${chosen}`);
    return encodeURIComponent(chosen);
  });
  const url = new URL(path, call.base);
  if (row.takes === 'query') url.search = queryString(values[0] as object | undefined);
  const request: SentRequest = {
    url: url.href,
    method: row.isPost ? 'POST' : 'GET',
    ...(row.isPost && { body: bodyOf(row, values, call.write) }),
  };
  const name = `${call.name} ${cluster} ${provider}`;
  return { name, request, access: row.access, cluster, buys };
}

const invalid = (message: string): GatewayError =>
  new GatewayError('invalid_request', { message: `${message}; nothing was sent` });

/** Returns the URL of a path at this gateway. Throws `invalid_request` for another origin. */
export function urlOf(path: string, base: URL): URL {
  if (!URL.canParse(path, base)) throw invalid('the path cannot be read');
  const url = new URL(path, base);
  if (url.origin !== base.origin) throw invalid(`the path leads to another origin than ${base.origin}`);
  return url;
}

/**
 * Returns the gate of a path, and the cluster to pay on. Paths of an operator's API are not in the table: a paid one contains `solana` and
 * a cluster, a free one does not. Other unknown paths count as paid.
 */
export function gateOf(path: string, methods: MethodTable, chosen: string): Pick<Outgoing, 'access' | 'cluster'> {
  const row = Object.values(methods)
    .flatMap((rows) => Object.values(rows))
    .find(({ path: pattern }) => fits(pattern, path));
  const cluster = path.split('/').find((segment) => segment === 'mainnet' || segment === 'devnet') ?? chosen;
  const isFree = /^\/v1\/x402\/(?!solana\/)/.test(path);
  return { access: row?.access ?? (isFree ? 'siwx' : 'exact'), cluster };
}

/** Returns the credit that an amount in dollars buys. */
export const creditFor = (usd: unknown): PaymentWish['buys'] =>
  usd === undefined ? 'credit' : { micros: microsOfUsd(Number(usd)) };

/** Returns the chosen cluster and provider of a paid method. By default the table's last provider, Helius. */
export function targetOf(
  row: MethodRow,
  { name, values, settings: { cluster = 'mainnet', provider } }: MethodCall,
): Target {
  const { served = [], takes } = row;
  const found = served
    .map((each) => each.split('/'))
    .findLast((each) => each[0] === cluster && (!provider || !each[1] || each[1] === provider));
  const [amount] = values as readonly { readonly usd?: unknown }[];
  const buys = takes === 'amount' ? creditFor(amount?.usd) : undefined;
  if (found) return { cluster: found[0], provider: found[1], buys };
  const message = `${name} is not served ${provider ? `by ${provider} ` : ''}on ${cluster}, but by ${served.join(', ')}`;
  throw new GatewayError('not_served', { message });
}
