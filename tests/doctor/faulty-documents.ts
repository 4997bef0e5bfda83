import { at, type Catalog, entryOf, inDocument, type Json, PAID, refusal, type SeededFault, without } from './seeds.ts';

/** Faults of what the gateway says about itself. */
export const faultyDocuments: readonly SeededFault[] = [
  {
    name: 'another price in the catalog',
    alter: inDocument('/v1/catalog', (catalog: Catalog) => Object.assign(entryOf(catalog, PAID), { priceUsd: '9.99' })),
    check: 'price',
    where: new RegExp(`^POST .*${PAID}$`),
    problem: /\$9\.99 in the catalog, \d+ atomic units in the 402, \$0\.\d+ in OpenAPI/,
    fix: /say the price of POST /,
  },
  {
    name: 'another price in OpenAPI',
    alter: inDocument('/openapi.json', ({ paths }: { paths: Record<string, { post: Json }> }) =>
      Object.assign(paths[PAID]?.post['x-payment-info'] ?? {}, { price: { mode: 'fixed', amount: '0.01' } }),
    ),
    check: 'price',
    where: new RegExp(`^POST .*${PAID}$`),
    problem: /\$0\.0\d+ in the catalog, \d+ atomic units in the 402, \$0\.01 in OpenAPI/,
    fix: /say the price of POST /,
  },
  {
    name: 'an example in the catalog that is refused',
    isLive: true,
    alter: inDocument('/v1/catalog', (catalog: Catalog) =>
      Object.assign(entryOf(catalog, '/v1/x402/tokens/assets/search').inputExample, { limit: 0 }),
    ),
    check: 'examples',
    where: /^GET .*\/assets\/search$/,
    problem: /the catalog's example \(inputExample\) is refused by its own schema: .*limit/,
    fix: /Give an example that is valid/,
  },
  {
    name: 'an example in OpenAPI that is refused',
    alter: inDocument('/openapi.json', ({ paths }: { paths: Record<string, { post: { requestBody: Json } }> }) =>
      Object.assign(paths[PAID]?.post.requestBody.content ?? {}, {
        'application/json': { schema: { $ref: '#/components/schemas/RpcGetBalanceRequest' }, example: { params: 7 } },
      }),
    ),
    check: 'examples',
    where: new RegExp(`^POST .*${PAID}$`),
    problem: /OpenAPI's example \(request\) is refused by its own schema: \/params/,
    fix: /Give an example that is valid/,
  },
  {
    name: 'an entry of the catalog without its networks',
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
    problem: /not complete: .*paymentNetwork/,
    fix: /List path, verb/,
  },
  {
    name: 'a catalog that miscounts',
    alter: inDocument('/v1/catalog', ({ catalog }: Catalog) => Object.assign(catalog, { totalRoutes: 61 })),
    check: 'catalog',
    where: /^GET .*\/v1\/catalog$/,
    problem: /has 25 routes and counts 61 and 25/,
    fix: /Count what is listed/,
  },
  {
    name: 'a document that is never unchanged',
    alter: ({ status }) => (status === 304 ? { status: 200, body: '{}' } : undefined),
    check: 'documents',
    where: /^GET .*\/v1\/catalog$/,
    problem: /with its own ETag it answers 200/,
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
    name: 'a route that OpenAPI lacks',
    alter: inDocument('/openapi.json', ({ paths }: { paths: Json }) => delete paths[PAID]),
    check: 'openapi',
    where: /^GET .*\/openapi\.json$/,
    problem: new RegExp(`it lacks POST ${PAID}`),
    fix: /from one table/,
  },
  {
    name: 'a route in OpenAPI that the catalog does not have',
    alter: inDocument('/openapi.json', ({ paths }: { paths: Json }) =>
      Object.assign(paths, { '/v1/else': paths[PAID] }),
    ),
    check: 'openapi',
    where: /^GET .*\/openapi\.json$/,
    problem: /it has POST \/v1\/else, which the catalog does not list/,
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
    fix: /Name http:\/\/127\.0\.0\.1:\d+ alone/,
  },
  {
    name: 'an operation that is not for sale',
    alter: inDocument(
      '/openapi.json',
      ({ paths }: { paths: Record<string, { post: Json }> }) => delete paths[PAID]?.post['x-payment-info'],
    ),
    check: 'openapi',
    where: new RegExp(`^POST .*${PAID}$`),
    problem: /not for sale/,
    fix: /Add x-payment-info/,
  },
  {
    name: 'a reference that leads nowhere',
    alter: inDocument(
      '/openapi.json',
      ({ components }: { components: { schemas: Json } }) => delete components.schemas.PaymentRequired,
    ),
    check: 'openapi',
    where: /^GET .*\/openapi\.json$/,
    problem: /refers to what it does not hold: #\/components\/schemas\/PaymentRequired/,
    fix: /Put every referenced component/,
  },
  {
    name: 'a resource that is not listed',
    alter: inDocument('/.well-known/x402', ({ resources }: { resources: string[] }) => resources.shift()),
    check: 'well-known',
    where: /^GET .*\/\.well-known\/x402$/,
    problem: /it lacks 1 of 25 routes, such as http:.*\/tokens\/health/,
    fix: /List every route/,
  },
  {
    name: 'a family of routes that no language model hears of',
    alter: ({ target, body }) => (at(target, '/llms.txt') ? { body: body.replaceAll(/rpc/gi, 'calls') } : undefined),
    check: 'llms',
    where: /^GET .*\/llms\.txt$/,
    problem: /does not mention rpc/,
    fix: /Give each family of routes a section/,
  },
  {
    name: 'a liveness body that says nothing',
    alter: inDocument('/healthz', (body: Json) => Object.assign(body, { status: 'starting' })),
    check: 'liveness',
    where: /^GET .*\/healthz$/,
    problem: /does not say ok, service and status/,
    fix: /"status":"healthy"/,
  },
];
