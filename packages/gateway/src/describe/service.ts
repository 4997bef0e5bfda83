import type { Route, Surface } from '@asset-gateway/protocol';
import texts from './texts.json' with { type: 'json' };

/** A service, as documents describe it. */
export interface Service {
  readonly name: string;
  /** The enabled rows, including the gateway's own. */
  readonly routes: readonly Route[];
  /** The titles of the operator's APIs, by name. */
  readonly titles?: ReadonlyMap<string, string>;
  /** Returns the dollars per call with its own settlement; `0.00` if free. */
  readonly priceUsd: (route: Route) => string;
  /** Returns the dollars per call from credit; undefined if credit cannot pay for the call. */
  readonly creditPriceUsd?: (route: Route) => string | undefined;
  /** Whether shares of the budget can cause a 429. */
  readonly hasShares?: boolean;
  /** Whether wallets or addresses can be blocked. */
  readonly hasBlocked?: boolean;
}

/** The prices of a service's routes. */
export type Priced = Pick<Service, 'priceUsd' | 'creditPriceUsd'>;

/** Returns both prices of a route. */
export const pricesOf = (route: Route, { priceUsd, creditPriceUsd }: Priced) => ({
  priceUsd: priceUsd(route),
  creditPriceUsd: creditPriceUsd?.(route),
});

/** Returns the rows without the gateway's own documents. */
export const servedRoutes = ({ routes }: Service): Route[] => routes.filter(({ surface }) => surface !== 'system');

/** Returns one of the gateway's own rows. */
export function ownRoute({ routes }: Service, method: string): Route {
  const own = routes.find((route) => route.surface === 'system' && route.method === method);
  if (!own) throw new Error(`the table has no answer named ${method}`);
  return own;
}

/** Returns the path of one of the gateway's own rows. */
export const ownPath = (service: Service, method: string): string => ownRoute(service, method).path;

const encoded = (value: unknown): string => encodeURIComponent(String(value)).replaceAll('%2C', ',');

/** Returns a row's path with its example's values. */
const examplePath = ({ path, example }: Route): string =>
  path.replace(/\/:(\w+)/g, (_, name: string) => `/${encoded(example.path?.[name])}`);

/** Returns a row's path and query with its example's values. */
export function exampleTarget(route: Route): string {
  const pairs = Object.entries(route.example.query ?? {}).map(([name, value]) => `${name}=${encoded(value)}`);
  return pairs.length > 0 ? `${examplePath(route)}?${pairs.join('&')}` : examplePath(route);
}

/** Returns an origin's x402 resources: URLs that answer an unpaid or unsigned request with a challenge. */
export function wellKnown(service: Service, origin: string) {
  const resources = servedRoutes(service).map((route) => `${origin}${examplePath(route)}`);
  return {
    version: 1,
    resources,
    openapi: `${origin}${ownPath(service, 'openapi')}`,
    catalog: `${origin}${ownPath(service, 'catalog')}`,
    llms: `${origin}${ownPath(service, 'llms')}`,
  };
}

/** Titles of our surfaces. */
const SURFACES: Readonly<Record<Surface, string>> = texts.surfaces;

/** Returns a surface's title: one of ours, or that of an operator's API. */
export const aboutSurface = (surface: string, { titles }: Pick<Service, 'titles'>): string =>
  titles?.get(surface) ?? SURFACES[surface as Surface];

/** Returns items in groups by name. The groups, and the items in each, keep their order. */
export function groupBy<Item>(items: readonly Item[], nameOf: (item: Item) => string): Map<string, [Item, ...Item[]]> {
  const groups = new Map<string, [Item, ...Item[]]>();
  for (const item of items) {
    const known = groups.get(nameOf(item));
    if (known) known.push(item);
    else groups.set(nameOf(item), [item]);
  }
  return groups;
}

/** Returns rows in groups by surface, in the table's order. */
export const bySurface = (routes: readonly Route[]): Map<string, [Route, ...Route[]]> =>
  groupBy(routes, ({ surface }) => surface);

type ByAccess = Readonly<Partial<Record<Route['access'], string>>>;
const HOW: ByAccess = texts.howToPass;
const GIVEN: ByAccess = texts.givenFor;

/** Returns what these rows require from clients: a signature, a micropayment, or either. */
export const givenFor = (routes: readonly Route[]): string =>
  [...new Set(routes.map(({ access }) => access))].flatMap((access) => GIVEN[access] ?? []).join(' or ');

/** Returns how to pass the gates of these rows. */
export const howToPass = (routes: readonly Route[]): string[] => [
  ...[...new Set(routes.map(({ access }) => access))].flatMap((access) => HOW[access] ?? []),
  ...(routes.some(({ credit }) => credit === 'accepted') ? [texts.credit] : []),
];

export const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
