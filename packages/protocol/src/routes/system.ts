import { oneOf, optional } from '../parameters.ts';
import { ANYTHING, type Route, type RowOptions, schemasOf, unchanged, verbAndPath } from '../route.ts';

/** The values of the catalog's provider filter. */
export const CATALOG_PROVIDERS = ['alchemy', 'helius', 'tokens'] as const;

function row(method: string, endpoint: string, description: string, options: RowOptions = {}): Route {
  return {
    id: `system.${method}`,
    provider: 'gateway',
    surface: 'system',
    method,
    ...verbAndPath(endpoint),
    access: 'public',
    description,
    input: schemasOf(options),
    rules: [],
    codes: options.codes ?? {},
    example: {},
    result: options.result ?? ANYTHING,
    upstream: { path: '', forward: unchanged },
  };
}

/** The routes that the gateway answers by itself, for everybody. */
export const systemRoutes: readonly Route[] = [
  row('liveness', 'GET /healthz', 'Liveness probe.'),
  row('readiness', 'GET /readyz', 'Readiness probe: 200 while this node can serve signed and paid requests.'),
  row('catalog', 'GET /v1/catalog', 'Every enabled route, its access mode and its price.', {
    query: { provider: optional(oneOf(CATALOG_PROVIDERS, 'Only the routes of one provider.')) },
    codes: { provider: 'invalid_provider_filter' },
  }),
];
