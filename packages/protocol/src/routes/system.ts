import Type from 'typebox';
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

/** What is there unless an operator leaves the console out: pages for people, which no description of the API names. */
export const consoleRoutes: readonly Route[] = [
  row('index', 'GET /', 'The console for browsers; for everybody else where the documents are.'),
  row('consoleFile', 'GET /console/:file', 'What the console is made of.', {
    path: { file: Type.String({ pattern: '^[A-Za-z0-9_.-]{1,100}$', description: 'The name of a file.' }) },
    example: { path: { file: 'icon.svg' } },
  }),
  row('chain', 'POST /console/rpc/:cluster', 'What a page needs of the chain to pay, as JSON-RPC.', {
    path: { cluster: oneOf(['mainnet', 'devnet'], 'The cluster.') },
    body: {
      jsonrpc: oneOf(['2.0'], 'The version.'),
      id: Type.Union([Type.Integer(), Type.String({ maxLength: 64 })], { description: 'Comes back with the answer.' }),
      method: oneOf(['getLatestBlockhash', 'getAccountInfo', 'getMultipleAccounts'], 'What is asked.'),
      params: optional(Type.Array(Type.Unknown(), { maxItems: 3, description: 'Of the method.' })),
    },
    example: { path: { cluster: 'mainnet' }, body: { jsonrpc: '2.0', id: 1, method: 'getLatestBlockhash' } },
  }),
];

/** Where a sandbox gives out play money; no gateway has it by itself. */
export const faucetRoute: Route = row('faucet', 'POST /sandbox/faucet', 'Play money for an address.', {
  body: {
    address: Type.String({ pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}$', description: 'Who gets it.' }),
    cluster: oneOf(['mainnet', 'devnet'], 'The cluster.'),
  },
});
