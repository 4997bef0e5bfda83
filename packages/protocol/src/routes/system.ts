import Type from 'typebox';
import { address, oneOf, optional } from '../parameters.ts';
import { catalogProviders } from '../providers.ts';
import * as results from '../results/system.ts';
import type { Route } from '../route.ts';
import { defineRow, type RowOptions } from './row.ts';

/** How long clients may cache documents. */
const DOCUMENT_SECONDS = 60;

/** Returns a row of the gateway's own. */
const row = (method: string, endpoint: string, description: string, options: RowOptions = {}): Route => {
  const fields = { id: `system.${method}`, provider: 'gateway', surface: 'system', method, endpoint, description };
  return defineRow({ ...fields, access: 'public', ...options });
};

const documentRow = (method: string, endpoint: string, description: string, options: RowOptions): Route =>
  row(method, endpoint, description, { ...options, maxAgeSeconds: DOCUMENT_SECONDS });

/** Routes that are on if receipts are. */
export const receiptRoutes: readonly Route[] = [
  documentRow('didDocument', 'GET /.well-known/did.json', 'The keys that sign receipts, as did:web.', {
    result: results.didDocument,
  }),
];

/** Returns the catalog of a service that serves these APIs besides ours. */
export const catalogRow = (apis: readonly string[], hasCredit: boolean): Route =>
  documentRow('catalog', 'GET /v1/catalog', 'Every enabled route, its access mode and its price.', {
    query: { provider: optional(oneOf(catalogProviders(apis, hasCredit), 'Only the routes of one provider.')) },
    codes: { provider: 'invalid_provider_filter' },
    example: { query: { provider: 'tokens' } },
    result: results.catalog(apis, hasCredit),
  });

/** The gateway's own public routes. */
export const systemRoutes: readonly Route[] = [
  row('liveness', 'GET /healthz', 'Liveness probe.', { result: results.liveness }),
  row('readiness', 'GET /readyz', 'Readiness probe: 200 while this node can serve signed and paid requests.', {
    result: results.readiness,
  }),
  catalogRow([], false),
  documentRow('openapi', 'GET /openapi.json', 'Every enabled route as OpenAPI 3.1.', {
    result: results.openapi,
  }),
  documentRow('wellKnown', 'GET /.well-known/x402', 'The x402 resources of this service.', {
    result: results.wellKnown,
  }),
  documentRow('llms', 'GET /llms.txt', 'The routes and how to call them, as text for language models.', {
    result: results.llms,
  }),
];

/** The console's routes. API documents omit them. */
export const consoleRoutes: readonly Route[] = [
  row('index', 'GET /', 'The console for browsers; for other clients a list of the documents.'),
  row('consoleFile', 'GET /console/:file', 'A file of the console.', {
    path: { file: Type.String({ pattern: '^[A-Za-z0-9_.-]{1,100}$', description: 'The name of a file.' }) },
    example: { path: { file: 'icon.svg' } },
  }),
  row('chain', 'POST /console/rpc/:cluster', 'JSON-RPC calls that a page needs to pay.', {
    path: { cluster: oneOf(['mainnet', 'devnet'], 'The cluster.') },
    body: {
      jsonrpc: oneOf(['2.0'], 'The version.'),
      id: Type.Union([Type.Integer(), Type.String({ maxLength: 64 })], { description: 'Returned with the answer.' }),
      method: oneOf(
        ['getLatestBlockhash', 'getAccountInfo', 'getMultipleAccounts', 'getGenesisHash', 'getSignaturesForAddress'],
        'The method.',
      ),
      params: optional(Type.Array(Type.Unknown(), { maxItems: 3, description: 'Its parameters.' })),
    },
    example: { path: { cluster: 'mainnet' }, body: { jsonrpc: '2.0', id: 1, method: 'getLatestBlockhash' } },
  }),
];

/** The sandbox's faucet of play money. */
export const faucetRoute: Route = row('faucet', 'POST /sandbox/faucet', 'Play money for an address.', {
  body: {
    address: address('The recipient.'),
    cluster: oneOf(['mainnet', 'devnet'], 'The cluster.'),
  },
});
