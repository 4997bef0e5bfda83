import type { Alter } from '../kit/recording-proxy.ts';
import { at, inDocument, type Json, PAID, patched, refusal, seeded } from './seeds.ts';

/** The changed part of the catalog. */
interface Catalog {
  catalog: Json;
  routes: { path: string; priceUsd: string; inputExample: Json }[];
}

const entryOf = ({ routes }: Catalog, path: string) =>
  routes.find((entry) => entry.path === path) as Catalog['routes'][0];

const inCatalog = (change: (catalog: Catalog) => void): Alter => inDocument('/v1/catalog', change as never);
const inOpenApi = (
  change: (document: { paths: Record<string, { post: Json }>; components: { schemas: Json } }) => void,
): Alter => inDocument('/openapi.json', change as never);

/** The fault that needs a live gateway, because it changes a request. */
export const INVALID_EXAMPLE = 'an invalid example in the catalog';

/** Faults of the documents. */
export const faultyDocuments = seeded({
  price: {
    'another price in the catalog': inCatalog((catalog) => Object.assign(entryOf(catalog, PAID), { priceUsd: '9.99' })),
    'another price in OpenAPI': inOpenApi(({ paths }) =>
      Object.assign(paths[PAID]?.post['x-payment-info'] ?? {}, { price: { mode: 'fixed', amount: '0.01' } }),
    ),
  },
  examples: {
    [INVALID_EXAMPLE]: inCatalog((catalog) =>
      Object.assign(entryOf(catalog, '/v1/x402/tokens/assets/search').inputExample, { limit: 0 }),
    ),
    'an invalid example in OpenAPI': inOpenApi(({ paths }) => {
      const schema = { $ref: '#/components/schemas/RpcGetBalanceRequest' };
      Object.assign(paths[PAID]?.post ?? {}, {
        requestBody: { content: { 'application/json': { schema, example: { params: 7 } } } },
      });
    }),
  },
  catalog: {
    'a catalog entry without its network': inCatalog((catalog) => {
      const { routes } = catalog;
      routes.push({ ...entryOf(catalog, PAID), path: '/v1/x402/else', paymentNetwork: undefined } as never);
      Object.assign(catalog.catalog, { totalRoutes: routes.length, returnedRoutes: routes.length });
    }),
    'a catalog that miscounts': inCatalog(({ catalog }) => Object.assign(catalog, { totalRoutes: 61 })),
  },
  documents: {
    'a document that is never 304': ({ status }) => (status === 304 ? { status: 200, body: '{}' } : undefined),
    'a document without an ETag': ({ target, status, headers }) =>
      at(target, '/v1/catalog') && status === 200 ? { headers: patched(headers, { etag: undefined }) } : undefined,
    'no OpenAPI': ({ target, method }) =>
      at(target, '/openapi.json') && ['GET', 'HEAD'].includes(method) ? refusal(500) : undefined,
  },
  openapi: {
    'a route missing from OpenAPI': inOpenApi(({ paths }) => delete paths[PAID]),
    'a route missing from the catalog': inOpenApi(({ paths }) => Object.assign(paths, { '/v1/else': paths[PAID] })),
    'an OpenAPI of another server': inOpenApi((document) =>
      Object.assign(document, { servers: [{ url: 'https://else.example' }] }),
    ),
    'an operation without a price': inOpenApi(({ paths }) => delete paths[PAID]?.post['x-payment-info']),
    'a dead reference': inOpenApi(({ components }) => delete components.schemas.PaymentRequired),
  },
  'well-known': {
    'a missing resource': inDocument('/.well-known/x402', ({ resources }: { resources: string[] }) =>
      resources.shift(),
    ),
  },
  llms: {
    'a surface missing from llms.txt': ({ target, body }) =>
      at(target, '/llms.txt') ? { body: body.replaceAll(/rpc/gi, 'calls') } : undefined,
  },
  liveness: {
    'a wrong liveness body': inDocument('/healthz', (body: Json) => Object.assign(body, { status: 'starting' })),
  },
});

const DID_DOCUMENT = '/.well-known/did.json';

/** Changes members of the DID document. */
const inDid = (members: Json): Alter => inDocument(DID_DOCUMENT, (json: Json) => Object.assign(json, members));

/** Changes the first key. */
const inKey = (change: (key: Record<string, string>) => void): Alter =>
  inDocument(
    DID_DOCUMENT,
    ({ verificationMethod: [method] }: { verificationMethod: [{ publicKeyJwk: Record<string, string> }] }) =>
      change(method.publicKeyJwk),
  );

/** Faults of the keys of receipts. */
export const faultyReceipts = seeded({
  receipts: {
    'a missing DID document': ({ target }) => (target === DID_DOCUMENT ? refusal(404) : undefined),
    'a DID document of another origin': inDid({ id: 'did:web:elsewhere.example' }),
    'a key under the id of another key': inKey((key) =>
      Object.assign(key, { x: Buffer.alloc(32, 7).toString('base64url') }),
    ),
    'a key with its private part': inKey((key) => Object.assign(key, { d: key.x })),
    'a DID document without keys': inDid({ verificationMethod: [], assertionMethod: [] }),
    'a key without assertionMethod': inDid({ assertionMethod: [] }),
  },
});
