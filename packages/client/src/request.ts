import { GatewayError } from './error.ts';
import type { Outgoing } from './exchange.ts';
import type { MethodRow, MethodTable } from './method-row.ts';
import { fits, type SentRequest } from './sent-request.ts';
import type { CallSettings } from './settings.ts';

/** A call of a method. */
export interface MethodCall {
  /** `<family>.<method>` */
  readonly name: string;
  readonly values: readonly unknown[];
  readonly base: URL;
  readonly settings: CallSettings;
}

/** Where a paid call goes, and what it buys beside its answer. */
export interface Place extends Pick<Outgoing, 'buys'> {
  readonly cluster?: string | undefined;
  readonly provider?: string | undefined;
}

const DOTS = /^\.{1,2}$/;
const PARAMETER = /:([a-z]+)/gi;
/** Slots came as bigints and fit in a double, as the gateway checks. */
const json = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? Number(each) : each));

function queryOf(values: object = {}): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return given.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`).join('&');
}

/** The JSON that is sent: the positional parameters without those at the end that were left out. */
function bodyOf({ takes }: MethodRow, values: readonly unknown[]): string {
  if (takes === 'params')
    return json({ params: values.slice(0, values.findLastIndex((value) => value !== undefined) + 1) });
  if (takes === 'named') return json({ params: values[0] });
  return json(takes === 'body' ? (values[0] ?? {}) : {});
}

/** The request of a call. */
export function outgoingFor(row: MethodRow, asked: MethodCall, place: Place): Outgoing {
  const { cluster, provider, buys } = place;
  const values = [...asked.values];
  const path = row.path.replace(PARAMETER, (_, name: string) => {
    const chosen = String(name in place ? place[name as keyof Place] : values.shift());
    // They would climb out of the route, into another one.
    if (DOTS.test(chosen)) throw invalid(`${name} cannot be ${chosen}`);
    return encodeURIComponent(chosen);
  });
  const url = new URL(path, asked.base);
  if (row.takes === 'query') url.search = queryOf(values[0] as object | undefined);
  const request: SentRequest = {
    url: url.href,
    method: row.post ? 'POST' : 'GET',
    ...(row.post && { body: bodyOf(row, values) }),
  };
  const name = `${asked.name} ${cluster} ${provider}`;
  return { name, request, access: row.access, cluster, ...(buys && { buys }) };
}

const invalid = (message: string): GatewayError =>
  new GatewayError('invalid_request', { message: `${message}; nothing was sent` });

/** The URL of a path of this gateway. Throws `invalid_request` for one of another origin. */
export function urlOf(path: string, base: URL): URL {
  if (!URL.canParse(path, base)) throw invalid('the path cannot be read');
  const url = new URL(path, base);
  if (url.origin !== base.origin) throw invalid(`the path leads away from ${base.origin}`);
  return url;
}

/** The gate that a path stands before, and the cluster that it is paid on; a payment for an unknown path. */
export function gateOf(path: string, methods: MethodTable, chosen: string): Pick<Outgoing, 'access' | 'cluster'> {
  const row = Object.values(methods)
    .flatMap((rows) => Object.values(rows))
    .find(({ path: pattern }) => fits(pattern, path));
  const cluster = path.split('/').find((segment) => segment === 'mainnet' || segment === 'devnet') ?? chosen;
  return { access: row?.access ?? 'exact', cluster };
}
