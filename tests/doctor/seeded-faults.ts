import type { Alter, Exchange } from '../kit/recording-proxy.ts';
import {
  at,
  changedHeader,
  headersOf,
  inChallenge,
  inDocument,
  type Json,
  PAID,
  PAYMENT_REQUIRED,
  patched,
  refusal,
  SIGNED,
  seeded,
} from './seeds.ts';

/** The changed part of a challenge. */
interface Challenge {
  accepts: Json[];
  resource: { url: string; description: string };
  extensions: {
    bazaar: { info: { input: { queryParams: Json } }; schema: Json };
    'sign-in-with-x': { info: Json; supportedChains: unknown[] };
  };
}

/** Repeats the first 402 of each URL, like a cache. */
function storingCache(): Alter {
  const stored = new Map<string, Exchange>();
  return (exchange) => {
    if (exchange.status !== 402) return undefined;
    const key = `${exchange.method} ${exchange.target}`;
    const first = stored.get(key) ?? exchange;
    stored.set(key, first);
    return first;
  };
}

const inRequirement = (members: Json) =>
  inChallenge(PAID, ({ accepts: [first] }: Challenge) => Object.assign(first ?? {}, members));
const inResource = (members: Json) => inChallenge(PAID, ({ resource }: Challenge) => Object.assign(resource, members));
const inSignIn = (members: Json) =>
  inChallenge(SIGNED, ({ extensions }: Challenge) => Object.assign(extensions['sign-in-with-x'].info, members));
const inDiscovery = (change: (bazaar: Challenge['extensions']['bazaar']) => void) =>
  inChallenge(SIGNED, ({ extensions }: Challenge) => change(extensions.bazaar));

/** Faults of challenges. */
const faultyChallenges = seeded({
  challenge: {
    'the challenge header dropped': headersOf(402, { [PAYMENT_REQUIRED]: undefined }),
    'different amounts in header and body': (exchange) =>
      at(exchange.target, PAID) && exchange.status === 402
        ? {
            headers: changedHeader(exchange, ({ accepts: [first] }: Challenge) =>
              Object.assign(first ?? {}, { amount: '1' }),
            ),
          }
        : undefined,
    'a challenge header of more than 4 KiB': inResource({ description: 'x'.repeat(4000) }),
  },
  resource: {
    'a resource at another host': inResource({ url: `https://else.example${PAID}` }),
    'a resource of another path': inChallenge(PAID, ({ resource }: Challenge) =>
      Object.assign(resource, { url: resource.url.slice(0, -1) }),
    ),
  },
  price: {
    'another amount than in the catalog': inRequirement({ amount: '7000' }),
  },
  requirements: {
    'no payment requirement': inChallenge(PAID, (challenge) => Object.assign(challenge, { accepts: [] })),
    'a payee that is not an address': inRequirement({ payTo: '0xabc' }),
  },
  'sign-in': {
    'a challenge stored by a cache': storingCache(),
    'a sign-in for another domain': inSignIn({ domain: 'else.example' }),
    'a sign-in that lasts for years': inSignIn({ expirationTime: '2100-01-01T00:00:00.000Z' }),
    'a sign-in for one network only': inChallenge(SIGNED, ({ extensions }: Challenge) =>
      extensions['sign-in-with-x'].supportedChains.pop(),
    ),
  },
  discovery: {
    'a challenge without the discovery extension': inChallenge(PAID, ({ extensions }: Challenge) =>
      Object.assign(extensions, { bazaar: undefined }),
    ),
    'a discovery example that does not match its own schema': inDiscovery(({ info }) =>
      Object.assign(info.input.queryParams, { marketsLimit: 51 }),
    ),
    'a discovery schema with an outside reference': inDiscovery(({ schema }) =>
      Object.assign(schema, { $ref: 'https://else.example/schema.json' }),
    ),
    'a discovery example that the catalog refuses': inDiscovery((bazaar) => {
      bazaar.schema = { $schema: bazaar.schema.$schema, type: 'object' };
      bazaar.info.input.queryParams.marketsLimit = 51;
    }),
  },
});

/** A preflight that does not allow a header. */
const withoutAllowed =
  (words: string): Alter =>
  ({ status, headers }) => {
    const allowed = String(headers['access-control-allow-headers']).replace(words, '');
    return status === 204 ? { headers: patched(headers, { 'access-control-allow-headers': allowed }) } : undefined;
  };

/** Changes an answer under a condition. */
const when =
  (holds: (exchange: Exchange) => boolean, change: ReturnType<Alter>): Alter =>
  (exchange) =>
    holds(exchange) ? change : undefined;

/** The fault that needs a live gateway, because it changes the connection. */
export const CUT = 'a connection that is cut';

/** Faults of status, headers and verbs. */
const faultyAnswers = seeded({
  cors: {
    'a 404 without CORS headers': headersOf(404, { 'access-control-allow-origin': undefined }),
    'a challenge that scripts cannot read': headersOf(402, { 'access-control-expose-headers': 'Content-Type' }),
  },
  caching: {
    'a 402 that caches may store': headersOf(402, { 'cache-control': 'public, max-age=300' }),
    'a 405 without Cache-Control': headersOf(405, { 'cache-control': undefined }),
  },
  nosniff: {
    'types that browsers may guess': headersOf(400, { 'x-content-type-options': undefined }),
  },
  head: {
    'a HEAD that gets past the gate': when(({ method, target }) => method === 'HEAD' && at(target, SIGNED), {
      status: 200,
    }),
    'a HEAD without the challenge': ({ method, headers }) =>
      method === 'HEAD' ? { headers: patched(headers, { [PAYMENT_REQUIRED]: undefined }) } : undefined,
  },
  verbs: {
    'a wrong verb that is served': when(({ status, target }) => status === 405 && at(target, PAID), { status: 200 }),
    'a 405 that names no verb': headersOf(405, { allow: undefined }),
  },
  preflight: {
    'a preflight with a missing header name': withoutAllowed('PAYMENT-SIGNATURE, '),
    'a preflight that refuses a header of the official browser client': withoutAllowed(
      ', Access-Control-Expose-Headers',
    ),
    'a preflight that has to pay': when(
      ({ method, target }) => method === 'OPTIONS' && at(target, SIGNED),
      refusal(401),
    ),
  },
  probes: {
    'a 400 for the body of an unpaid request': when(
      ({ asked, target, status }) => at(target, PAID) && status === 402 && asked['content-length'] === '0',
      {
        status: 400,
      },
    ),
  },
  refusals: {
    'a page for every unknown path': when(({ status, method }) => status === 404 && method === 'GET', { status: 200 }),
    'refusals as pages': ({ status, headers }) =>
      status === 404
        ? { headers: patched(headers, { 'content-type': 'text/html' }), body: '<h1>Not found</h1>' }
        : undefined,
  },
  secrets: {
    'the name of a key header in an answer': headersOf(402, { vary: 'x-api-key' }),
  },
  answers: {
    [CUT]: when(({ method, target }) => method === 'OPTIONS' && at(target, PAID), { status: 0 }),
  },
});

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
const faultyDocuments = seeded({
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
const faultyReceipts = seeded({
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

export const FAULTS = [...faultyChallenges, ...faultyAnswers, ...faultyDocuments, ...faultyReceipts];
