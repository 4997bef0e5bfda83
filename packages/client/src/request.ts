import { GatewayError } from './error.ts';
import type { Meant } from './exchange.ts';
import type { MethodRow } from './method-row.ts';
import { METHODS } from './methods.ts';
import type { SentRequest } from './payer.ts';
import type { CallSettings } from './settings.ts';

/** A call of a method. */
export interface Asked {
  /** `<family>.<method>` */
  readonly name: string;
  readonly values: readonly unknown[];
  readonly base: URL;
  readonly settings: CallSettings;
}

/** Where a paid call goes. */
interface Place {
  readonly cluster?: string | undefined;
  readonly provider?: string | undefined;
}

const PARAMETER = /:([a-z]+)/gi;
/** Slots came as bigints and fit in a double, as the gateway checks. */
const json = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? Number(each) : each));

/** Who serves a method of those that were chosen; the last one of the table where nobody was, which is Helius. */
function placeOf({ served }: MethodRow, { name, settings: { cluster = 'mainnet', provider } }: Asked): Place {
  if (!served) return {};
  const found = served
    .map((each) => each.split('/'))
    .findLast((each) => each[0] === cluster && (!provider || !each[1] || each[1] === provider));
  if (found) return { cluster: found[0], provider: found[1] };
  const message = `${name} is not served ${provider ? `by ${provider} ` : ''}on ${cluster}, but by ${served.join(', ')}`;
  throw new GatewayError('not_served', { message });
}

function queryOf(values: object = {}): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return given.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&');
}

/** The JSON that is sent: the positional parameters without those at the end that were left out. */
function bodyOf({ takes }: MethodRow, values: readonly unknown[]): string {
  if (takes === 'params')
    return json({ params: values.slice(0, values.findLastIndex((value) => value !== undefined) + 1) });
  if (takes === 'named') return json({ params: values[0] });
  return json(takes === 'body' ? (values[0] ?? {}) : {});
}

function buysOf({ takes }: MethodRow, [amount]: readonly unknown[]): Pick<Meant, 'buys'> {
  if (takes !== 'amount') return {};
  const usd = (amount as { usd?: number } | undefined)?.usd;
  return { buys: usd === undefined ? 'call' : { micros: Math.round(usd * 1e6) } };
}

/** The request of a call. */
export function meantBy(row: MethodRow, asked: Asked): Meant {
  const place = placeOf(row, asked);
  const values = [...asked.values];
  const path = row.path.replace(PARAMETER, (_, name: string) => {
    const chosen = name in place ? place[name as keyof Place] : values.shift();
    return encodeURIComponent(String(chosen));
  });
  const url = new URL(path, asked.base);
  if (row.takes === 'query') url.search = queryOf(values[0] as object | undefined);
  const request: SentRequest = {
    url: url.href,
    method: row.post ? 'POST' : 'GET',
    ...(row.post && { body: bodyOf(row, values) }),
  };
  const name = `${asked.name} ${place.cluster} ${place.provider}`;
  return { name, request, access: row.access, cluster: place.cluster, ...buysOf(row, values) };
}

const fits = (pattern: string, path: string): boolean => {
  const [expected, segments] = [pattern.split('/'), path.split('/')];
  return (
    expected.length === segments.length && expected.every((each, at) => each.startsWith(':') || each === segments[at])
  );
};

/** The gate that a path stands before, and the cluster that it is paid on; a payment where the path is not known. */
export function gateOf(path: string): Pick<Meant, 'access' | 'cluster'> {
  const row = Object.values(METHODS)
    .flatMap((rows) => Object.values(rows))
    .find(({ path: pattern }) => fits(pattern, path));
  const cluster = path.split('/').find((segment) => segment === 'mainnet' || segment === 'devnet') ?? 'mainnet';
  return { access: row?.access ?? 'exact', cluster };
}
