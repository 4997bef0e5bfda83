import { at, type Catalog, entryOf, inDocument, type Json, PAID, refusal, type SeededFault, without } from './seeds.ts';

/** Faults of the documents. */
export const faultyDocuments: readonly SeededFault[] = [
  {
    name: 'another price in the catalog',
    alter: inDocument('/v1/catalog', (catalog: Catalog) => Object.assign(entryOf(catalog, PAID), { priceUsd: '9.99' })),
    check: 'price',
  },
  {
    name: 'another price in OpenAPI',
    alter: inDocument('/openapi.json', ({ paths }: { paths: Record<string, { post: Json }> }) =>
      Object.assign(paths[PAID]?.post['x-payment-info'] ?? {}, { price: { mode: 'fixed', amount: '0.01' } }),
    ),
    check: 'price',
  },
  {
    name: 'an invalid example in the catalog',
    isLive: true,
    alter: inDocument('/v1/catalog', (catalog: Catalog) =>
      Object.assign(entryOf(catalog, '/v1/x402/tokens/assets/search').inputExample, { limit: 0 }),
    ),
    check: 'examples',
  },
  {
    name: 'an invalid example in OpenAPI',
    alter: inDocument('/openapi.json', ({ paths }: { paths: Record<string, { post: { requestBody: Json } }> }) =>
      Object.assign(paths[PAID]?.post.requestBody.content ?? {}, {
        'application/json': { schema: { $ref: '#/components/schemas/RpcGetBalanceRequest' }, example: { params: 7 } },
      }),
    ),
    check: 'examples',
  },
  {
    name: 'a catalog entry without its network',
    alter: inDocument('/v1/catalog', (catalog: Catalog) => {
      catalog.routes.push({ ...entryOf(catalog, PAID), path: '/v1/x402/else', paymentNetwork: undefined } as never);
      catalog.catalog = {
        ...catalog.catalog,
        totalRoutes: catalog.routes.length,
        returnedRoutes: catalog.routes.length,
      };
    }),
    check: 'catalog',
  },
  {
    name: 'a catalog that miscounts',
    alter: inDocument('/v1/catalog', ({ catalog }: Catalog) => Object.assign(catalog, { totalRoutes: 61 })),
    check: 'catalog',
  },
  {
    name: 'a document that is never 304',
    alter: ({ status }) => (status === 304 ? { status: 200, body: '{}' } : undefined),
    check: 'documents',
  },
  {
    name: 'a document without an ETag',
    alter: ({ target, status, headers }) =>
      at(target, '/v1/catalog') && status === 200 ? { headers: without(headers, 'etag') } : undefined,
    check: 'documents',
  },
  {
    name: 'no OpenAPI',
    alter: ({ target, method }) =>
      at(target, '/openapi.json') && ['GET', 'HEAD'].includes(method) ? refusal(500) : undefined,
    check: 'documents',
  },
  {
    name: 'a route missing from OpenAPI',
    alter: inDocument('/openapi.json', ({ paths }: { paths: Json }) => delete paths[PAID]),
    check: 'openapi',
  },
  {
    name: 'a route missing from the catalog',
    alter: inDocument('/openapi.json', ({ paths }: { paths: Json }) =>
      Object.assign(paths, { '/v1/else': paths[PAID] }),
    ),
    check: 'openapi',
  },
  {
    name: 'an OpenAPI of another server',
    alter: inDocument('/openapi.json', (document: Json) =>
      Object.assign(document, { servers: [{ url: 'https://else.example' }] }),
    ),
    check: 'openapi',
  },
  {
    name: 'an operation without a price',
    alter: inDocument(
      '/openapi.json',
      ({ paths }: { paths: Record<string, { post: Json }> }) => delete paths[PAID]?.post['x-payment-info'],
    ),
    check: 'openapi',
  },
  {
    name: 'a dead reference',
    alter: inDocument(
      '/openapi.json',
      ({ components }: { components: { schemas: Json } }) => delete components.schemas.PaymentRequired,
    ),
    check: 'openapi',
  },
  {
    name: 'a missing resource',
    alter: inDocument('/.well-known/x402', ({ resources }: { resources: string[] }) => resources.shift()),
    check: 'well-known',
  },
  {
    name: 'a surface missing from llms.txt',
    alter: ({ target, body }) => (at(target, '/llms.txt') ? { body: body.replaceAll(/rpc/gi, 'calls') } : undefined),
    check: 'llms',
  },
  {
    name: 'a wrong liveness body',
    alter: inDocument('/healthz', (body: Json) => Object.assign(body, { status: 'starting' })),
    check: 'liveness',
  },
];

const DID_DOCUMENT = '/.well-known/did.json';

/** The changed part of a DID document. */
interface DidDocument {
  id: string;
  verificationMethod: { id: string; controller: string; publicKeyJwk: Record<string, string> }[];
  assertionMethod: string[];
}

/** Changes the first key. */
const inKey = (change: (method: DidDocument['verificationMethod'][number]) => void) =>
  inDocument(DID_DOCUMENT, ({ verificationMethod: [method] }: DidDocument) => {
    if (method) change(method);
  });

/** Faults of the keys of receipts. */
export const faultyReceipts: readonly SeededFault[] = [
  {
    name: 'a missing DID document',
    alter: ({ target }) => (target === DID_DOCUMENT ? refusal(404) : undefined),
    check: 'receipts',
  },
  {
    name: 'a DID document of another origin',
    alter: inDocument(DID_DOCUMENT, (json: DidDocument) => Object.assign(json, { id: 'did:web:elsewhere.example' })),
    check: 'receipts',
  },
  {
    name: 'a key under the id of another key',
    alter: inKey(({ publicKeyJwk }) => Object.assign(publicKeyJwk, { x: Buffer.alloc(32, 7).toString('base64url') })),
    check: 'receipts',
  },
  {
    name: 'a key with its private part',
    alter: inKey(({ publicKeyJwk }) => Object.assign(publicKeyJwk, { d: publicKeyJwk.x })),
    check: 'receipts',
  },
  {
    name: 'a DID document without keys',
    alter: inDocument(DID_DOCUMENT, (json: DidDocument) =>
      Object.assign(json, { verificationMethod: [], assertionMethod: [] }),
    ),
    check: 'receipts',
  },
  {
    name: 'a key without assertionMethod',
    alter: inDocument(DID_DOCUMENT, (json: DidDocument) => Object.assign(json, { assertionMethod: [] })),
    check: 'receipts',
  },
];
