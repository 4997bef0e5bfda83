import {
  CATALOG_PROVIDERS,
  NETWORKS,
  PROVIDERS,
  type Route,
  SIGN_IN_NETWORKS,
  type UpstreamProvider,
  USDC,
  USDC_DECIMALS,
} from '@asset-gateway/protocol';
import { answerSchema, type JsonSchema, published, publishedRules } from './schemas.ts';
import { ownPath, pricesOf, type Service, servedRoutes } from './service.ts';

const NOTHING: JsonSchema = { type: 'object', properties: {}, additionalProperties: false };

/** How to pass a route's gate: the networks of a sign-in, or the payment's network and asset. */
function opening({ access, cluster }: Route) {
  if (access === 'siwx') return { authNetworks: SIGN_IN_NETWORKS };
  if (!cluster) return {};
  const paymentAsset = { symbol: 'USDC', mint: USDC[cluster], decimals: USDC_DECIMALS };
  return { paymentNetwork: NETWORKS[cluster], paymentAsset };
}

/** The catalog entry of one route. */
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
    inputSchema: input ? published(input) : NOTHING,
    ...(inputExample !== undefined && { inputExample }),
    outputSchema: answerSchema(route),
    // The input of other verbs than GET is its body.
    ...(input !== query && query && { queryParamsSchema: published(query), queryParamsExample: example.query ?? {} }),
    ...(path && { pathParamsSchema: published(path), pathParamsExample: example.path }),
    ...(route.rules.length > 0 && { rules: publishedRules(route) }),
  };
}

/** How paid routes are paid for; undefined if nothing is sold. */
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

/** The body of the catalog: the enabled routes of all providers, or of one. */
export function catalog(service: Service, provider?: string) {
  const listed = servedRoutes(service);
  const countOf = (id: string): number => listed.filter((route) => route.provider === id).length;
  const known = [...CATALOG_PROVIDERS, ...(service.titles?.keys() ?? [])];
  const providers = known.filter((id) => countOf(id) > 0);
  const returned = provider === undefined ? listed : listed.filter((route) => route.provider === provider);
  const paid = payment(listed);
  return {
    ok: true,
    version: 1,
    ...(paid && { payment: paid }),
    catalog: {
      totalRoutes: listed.length,
      returnedRoutes: returned.length,
      filters: { provider: provider ?? null },
    },
    categories: {
      providers: providers.map((id) => {
        const href = `${ownPath(service, 'catalog')}?provider=${id}`;
        return {
          id,
          label: service.titles?.get(id) ?? PROVIDERS[id as UpstreamProvider].label,
          routeCount: countOf(id),
          href,
        };
      }),
    },
    routes: returned.map((route) => entry(route, service)),
  };
}
