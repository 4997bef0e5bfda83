import type { Outgoing } from './exchange.ts';
import type { MethodRow, MethodTable } from './method-row.ts';
import type { SentRequest } from './payer.ts';
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

const PARAMETER = /:([a-z]+)/gi;
/** Slots came as bigints and fit in a double, as the gateway checks. */
const json = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? Number(each) : each));

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

/** The request of a call. */
export function outgoingFor(row: MethodRow, asked: MethodCall, place: Place): Outgoing {
  const { cluster, provider, buys } = place;
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
  const name = `${asked.name} ${cluster} ${provider}`;
  return { name, request, access: row.access, cluster, ...(buys && { buys }) };
}

const fits = (pattern: string, path: string): boolean => {
  const [expected, segments] = [pattern.split('/'), path.split('/')];
  return (
    expected.length === segments.length && expected.every((each, at) => each.startsWith(':') || each === segments[at])
  );
};

/** The gate that a path stands before, and the cluster that it is paid on; a payment where the path is not known. */
export function gateOf(path: string, methods: MethodTable): Pick<Outgoing, 'access' | 'cluster'> {
  const row = Object.values(methods)
    .flatMap((rows) => Object.values(rows))
    .find(({ path: pattern }) => fits(pattern, path));
  const cluster = path.split('/').find((segment) => segment === 'mainnet' || segment === 'devnet') ?? 'mainnet';
  return { access: row?.access ?? 'exact', cluster };
}
