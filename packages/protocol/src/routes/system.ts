import { oneOf, optional } from '../parameters.ts';
import { CATALOG_PROVIDERS } from '../providers.ts';
import * as results from '../results/system.ts';
import { ANYTHING, type Route, type RowOptions, schemasOf, unchanged, verbAndPath } from '../route.ts';

/** For how long anybody may keep a document that describes the service. */
const DOCUMENT_SECONDS = 60;

/** A row of the gateway's own. */
export function row(method: string, endpoint: string, description: string, options: RowOptions = {}): Route {
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
    example: options.example ?? {},
    result: options.result ?? ANYTHING,
    ...(options.maxAgeSeconds !== undefined && { maxAgeSeconds: options.maxAgeSeconds }),
    upstream: { path: '', forward: unchanged },
  };
}

const documentRow = (method: string, endpoint: string, description: string, options: RowOptions): Route =>
  row(method, endpoint, description, { ...options, maxAgeSeconds: DOCUMENT_SECONDS });

/** What is there only where an operator has receipts signed. */
export const receiptRoutes: readonly Route[] = [
  documentRow('didDocument', 'GET /.well-known/did.json', 'The keys that receipts are signed with, as did:web.', {
    result: results.didDocument,
  }),
];

/** The routes that the gateway answers by itself, for everybody. */
export const systemRoutes: readonly Route[] = [
  row('liveness', 'GET /healthz', 'Liveness probe.', { result: results.liveness }),
  row('readiness', 'GET /readyz', 'Readiness probe: 200 while this node can serve signed and paid requests.', {
    result: results.readiness,
  }),
  documentRow('catalog', 'GET /v1/catalog', 'Every enabled route, its access mode and its price.', {
    query: { provider: optional(oneOf(CATALOG_PROVIDERS, 'Only the routes of one provider.')) },
    codes: { provider: 'invalid_provider_filter' },
    example: { query: { provider: 'tokens' } },
    result: results.catalog,
  }),
  documentRow('openapi', 'GET /openapi.json', 'Every enabled route as OpenAPI 3.1.', {
    result: results.openapi,
  }),
  documentRow('wellKnown', 'GET /.well-known/x402', 'The URLs that x402 opens here.', { result: results.wellKnown }),
  documentRow('llms', 'GET /llms.txt', 'What is served and how to call it, as text for language models.', {
    result: results.llms,
  }),
];
