import { at, type Catalog, entryOf, inDocument, type Json, PAID, refusal, type SeededFault, without } from './seeds.ts';

/** Faults of the documents. */
export const faultyDocuments: readonly SeededFault[] = [
  {
    name: 'another price in the catalog',
    alter: inDocument('/v1/catalog', (catalog: Catalog) => Object.assign(entryOf(catalog, PAID), { priceUsd: '9.99' })),
    check: 'price',
    where: new RegExp(`^POST .*${PAID}$`),
    problem: /\$9\.99 in the catalog, \d+ atomic units in the 402, \$0\.\d+ in OpenAPI/,
    fix: /Use one price for POST /,
  },
  {
    name: 'another price in OpenAPI',
    alter: inDocument('/openapi.json', ({ paths }: { paths: Record<string, { post: Json }> }) =>
      Object.assign(paths[PAID]?.post['x-payment-info'] ?? {}, { price: { mode: 'fixed', amount: '0.01' } }),
    ),
    check: 'price',
    where: new RegExp(`^POST .*${PAID}$`),
    problem: /\$0\.0\d+ in the catalog, \d+ atomic units in the 402, \$0\.01 in OpenAPI/,
    fix: /Use one price for POST /,
  },
  {
    name: 'an invalid example in the catalog',
    isLive: true,
    alter: inDocument('/v1/catalog', (catalog: Catalog) =>
      Object.assign(entryOf(catalog, '/v1/x402/tokens/assets/search').inputExample, { limit: 0 }),
    ),
    check: 'examples',
    where: /^GET .*\/assets\/search$/,
    problem: /the catalog's example \(inputExample\) does not match its own schema: .*limit/,
    fix: /Use a valid example/,
  },
  {
    name: 'an invalid example in OpenAPI',
    alter: inDocument('/openapi.json', ({ paths }: { paths: Record<string, { post: { requestBody: Json } }> }) =>
      Object.assign(paths[PAID]?.post.requestBody.content ?? {}, {
        'application/json': { schema: { $ref: '#/components/schemas/RpcGetBalanceRequest' }, example: { params: 7 } },
      }),
    ),
    check: 'examples',
    where: new RegExp(`^POST .*${PAID}$`),
    problem: /OpenAPI's example \(request\) does not match its own schema: \/params/,
    fix: /Use a valid example/,
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
    where: /^POST .*\/v1\/x402\/else$/,
    problem: /is incomplete: .*paymentNetwork/,
    fix: /List the path, verb/,
  },
  {
    name: 'a catalog that miscounts',
    alter: inDocument('/v1/catalog', ({ catalog }: Catalog) => Object.assign(catalog, { totalRoutes: 61 })),
    check: 'catalog',
    where: /^GET .*\/v1\/catalog$/,
    problem: /has 25 routes and counts 61 and 25/,
    fix: /Correct totalRoutes/,
  },
  {
    name: 'a document that is never 304',
    alter: ({ status }) => (status === 304 ? { status: 200, body: '{}' } : undefined),
    check: 'documents',
    where: /^GET .*\/v1\/catalog$/,
    problem: /a request with its ETag is answered 200/,
    fix: /Compare If-None-Match/,
  },
  {
    name: 'a document without an ETag',
    alter: ({ target, status, headers }) =>
      at(target, '/v1/catalog') && status === 200 ? { headers: without(headers, 'etag') } : undefined,
    check: 'documents',
    where: /^GET .*\/v1\/catalog$/,
    problem: /it has no ETag/,
    fix: /Send an ETag/,
  },
  {
    name: 'no OpenAPI',
    alter: ({ target, method }) =>
      at(target, '/openapi.json') && ['GET', 'HEAD'].includes(method) ? refusal(500) : undefined,
    check: 'documents',
    where: /^GET .*\/openapi\.json$/,
    problem: /it answers 500/,
    fix: /Serve the document/,
  },
  {
    name: 'a route missing from OpenAPI',
    alter: inDocument('/openapi.json', ({ paths }: { paths: Json }) => delete paths[PAID]),
    check: 'openapi',
    where: /^GET .*\/openapi\.json$/,
    problem: new RegExp(`POST ${PAID} of the catalog is missing`),
    fix: /from one table/,
  },
  {
    name: 'a route missing from the catalog',
    alter: inDocument('/openapi.json', ({ paths }: { paths: Json }) =>
      Object.assign(paths, { '/v1/else': paths[PAID] }),
    ),
    check: 'openapi',
    where: /^GET .*\/openapi\.json$/,
    problem: /POST \/v1\/else is not in the catalog/,
    fix: /from one table/,
  },
  {
    name: 'an OpenAPI of another server',
    alter: inDocument('/openapi.json', (document: Json) =>
      Object.assign(document, { servers: [{ url: 'https://else.example' }] }),
    ),
    check: 'openapi',
    where: /^GET .*\/openapi\.json$/,
    problem: /servers is https:\/\/else\.example/,
    fix: /Set it to http:\/\/127\.0\.0\.1:\d+/,
  },
  {
    name: 'an operation without a price',
    alter: inDocument(
      '/openapi.json',
      ({ paths }: { paths: Record<string, { post: Json }> }) => delete paths[PAID]?.post['x-payment-info'],
    ),
    check: 'openapi',
    where: new RegExp(`^POST .*${PAID}$`),
    problem: /has no price/,
    fix: /Add x-payment-info/,
  },
  {
    name: 'a dead reference',
    alter: inDocument(
      '/openapi.json',
      ({ components }: { components: { schemas: Json } }) => delete components.schemas.PaymentRequired,
    ),
    check: 'openapi',
    where: /^GET .*\/openapi\.json$/,
    problem: /has dead references: #\/components\/schemas\/PaymentRequired/,
    fix: /Include every referenced component/,
  },
  {
    name: 'a missing resource',
    alter: inDocument('/.well-known/x402', ({ resources }: { resources: string[] }) => resources.shift()),
    check: 'well-known',
    where: /^GET .*\/\.well-known\/x402$/,
    problem: /1 of 25 routes are missing, such as http:.*\/tokens\/health/,
    fix: /List every route/,
  },
  {
    name: 'a surface missing from llms.txt',
    alter: ({ target, body }) => (at(target, '/llms.txt') ? { body: body.replaceAll(/rpc/gi, 'calls') } : undefined),
    check: 'llms',
    where: /^GET .*\/llms\.txt$/,
    problem: /does not mention rpc/,
    fix: /Give each family of routes a section/,
  },
  {
    name: 'a wrong liveness body',
    alter: inDocument('/healthz', (body: Json) => Object.assign(body, { status: 'starting' })),
    check: 'liveness',
    where: /^GET .*\/healthz$/,
    problem: /has no ok, service or status/,
    fix: /"status":"healthy"/,
  },
];
