import { oneOf, optional } from '../parameters.ts';
import * as results from '../results/system.ts';
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
  row('liveness', 'GET /healthz', 'Liveness probe.', { result: results.liveness }),
  row('catalog', 'GET /v1/catalog', 'Every enabled route, its access mode and its price.', {
    query: { provider: optional(oneOf(CATALOG_PROVIDERS, 'Only the routes of one provider.')) },
    codes: { provider: 'invalid_provider_filter' },
  }),
];
