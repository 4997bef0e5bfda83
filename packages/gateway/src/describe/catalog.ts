import {
  catalogProviders,
  GATEWAY,
  NETWORKS,
  PROVIDERS,
  type Route,
  SIGN_IN_NETWORKS,
  type UpstreamProvider,
  USDC,
  USDC_DECIMALS,
} from '@asset-gateway/protocol';
import { answerSchema, type JsonSchema, publishedRules, written } from './schemas.ts';
import { ownPath, pricesOf, type Service, servedRoutes } from './service.ts';

const NOTHING: JsonSchema = { type: 'object', properties: {}, additionalProperties: false };

/** Returns what a route's gate asks for: a sign-in on some networks, or a payment on a network in an asset. */
function opening({ access, cluster }: Route) {
  if (access === 'siwx') return { authNetworks: SIGN_IN_NETWORKS };
  if (!cluster) return {};
  const paymentAsset = { symbol: 'USDC', mint: USDC[cluster], decimals: USDC_DECIMALS };
  return { paymentNetwork: NETWORKS[cluster], paymentAsset };
}

/** Returns the catalog entry of one route. */
function entry(route: Route, service: Service) {
  const { cluster, provider, surface, method, description, access, credit, example } = route;
  const { priceUsd, creditPriceUsd } = pricesOf(route, service);
  const { path, query, body } = route.input;
  const input = route.httpMethod === 'GET' ? query : body;
  const inputExample = route.httpMethod === 'GET' ? example.query : example.body;
  return {
    path: route.path,
    httpMethod: route.httpMethod,
    ...(cluster && { cluster }),
    provider,
    surface,
    method,
    description,
    accessMode: access,
    paymentRequired: access === 'exact',
    priceUsd,
    ...(creditPriceUsd !== undefined && { creditPriceUsd }),
    ...(credit && { credit }),
    ...opening(route),
    enabled: true,
    inputSchema: input ? written(input) : NOTHING,
    ...(inputExample !== undefined && { inputExample }),
    outputSchema: answerSchema(route),
    // The input of other verbs than GET is its body.
    ...(input !== query && query && { queryParamsSchema: written(query), queryParamsExample: example.query ?? {} }),
    ...(path && { pathParamsSchema: written(path), pathParamsExample: example.path }),
    ...(route.rules.length > 0 && { rules: publishedRules(route) }),
  };
}

/** Returns how to pay for paid routes; undefined if none is sold. */
function payment(routes: readonly Route[]) {
  const clusters = [...new Set(routes.flatMap(({ access, cluster }) => (access === 'exact' && cluster) || []))];
  if (clusters.length === 0) return undefined;
  return {
    modes: [...new Set(routes.map(({ access }) => access))],
    networks: Object.fromEntries(clusters.map((cluster) => [cluster, NETWORKS[cluster]])),
    pricingModel: 'per-request',
    asset: {
      symbol: 'USDC',
      mints: Object.fromEntries(clusters.map((cluster) => [cluster, USDC[cluster]])),
      decimals: USDC_DECIMALS,
    },
  };
}

/** Returns the values that the catalog's filter accepts. */
const filtersOf = ({ titles }: Service, listed: readonly Route[]): readonly string[] =>
  catalogProviders(
    [...(titles?.keys() ?? [])],
    listed.some(({ provider }) => provider === GATEWAY),
  );

/** Returns the providers with routes: our upstreams, the operator's APIs, and the gateway itself if it sells credit. */
function providersOf(service: Service, listed: readonly Route[]) {
  const counts = new Map<string, number>();
  for (const { provider } of listed) counts.set(provider, (counts.get(provider) ?? 0) + 1);
  const labelOf = (id: string): string =>
    service.titles?.get(id) ?? (id === GATEWAY ? service.name : PROVIDERS[id as UpstreamProvider].label);
  return filtersOf(service, listed).flatMap((id) => {
    const routeCount = counts.get(id);
    const href = `${ownPath(service, 'catalog')}?provider=${id}`;
    return routeCount === undefined ? [] : [{ id, label: labelOf(id), routeCount, href }];
  });
}

/** Returns the catalog's bodies: one per provider by its name, and one with all. Writes each route once. */
export function catalogTexts(service: Service): ReadonlyMap<string | undefined, string> {
  const listed = servedRoutes(service);
  const rows = listed.map((route) => ({ provider: route.provider, text: JSON.stringify(entry(route, service)) }));
  const paid = payment(listed);
  const categories = { providers: providersOf(service, listed) };
  const textOf = (provider: string | undefined): string => {
    const returned = provider === undefined ? rows : rows.filter((row) => row.provider === provider);
    const head = JSON.stringify({
      ok: true,
      version: 1,
      ...(paid && { payment: paid }),
      catalog: {
        totalRoutes: rows.length,
        returnedRoutes: returned.length,
        filters: { provider: provider ?? null },
      },
      categories,
    });
    return `${head.slice(0, -1)},"routes":[${returned.map(({ text }) => text).join(',')}]}`;
  };
  return new Map([undefined, ...filtersOf(service, listed)].map((provider) => [provider, textOf(provider)]));
}
