import { CATALOG_PROVIDERS, type Route } from '@asset-gateway/protocol';

/** The catalog's entry of one route: where it is, how it is called, and what opens it. */
function entry(route: Route, priceUsd: string) {
  const { path, query, body } = route.input;
  return {
    path: route.path,
    httpMethod: route.httpMethod,
    provider: route.provider,
    surface: route.surface,
    method: route.method,
    description: route.description,
    accessMode: route.access,
    ...(route.cluster && { cluster: route.cluster }),
    paymentRequired: route.access === 'exact',
    priceUsd,
    enabled: true,
    inputSchema: (route.httpMethod === 'POST' ? body : query) ?? { type: 'object', additionalProperties: false },
    ...(path && { pathParamsSchema: path }),
  };
}

/** The body of the catalog: every enabled route of the providers, or of one of them. */
export function catalog(routes: readonly Route[], priceOf: (route: Route) => string, provider?: string) {
  const listed = routes.filter((route) => CATALOG_PROVIDERS.some((known) => known === route.provider));
  const returned = provider === undefined ? listed : listed.filter((route) => route.provider === provider);
  return {
    ok: true,
    version: 1,
    catalog: {
      totalRoutes: listed.length,
      returnedRoutes: returned.length,
      filters: { provider: provider ?? null },
    },
    routes: returned.map((route) => entry(route, priceOf(route))),
  };
}
