import type { Alter, Exchange } from '../kit/recording-proxy.ts';
import {
  headersOf,
  inChallenge,
  inDocument,
  inHeader,
  isAt,
  PAID,
  PAYMENT_REQUIRED,
  refusal,
  SIGNED,
  when,
  withHeaders,
} from './seeds.ts';

const [CATALOG, OPENAPI, DID_DOCUMENT] = ['/v1/catalog', '/openapi.json', '/.well-known/did.json'];
const SIGN_IN = ['extensions', 'sign-in-with-x'];
const DISCOVERY = ['extensions', 'bazaar'];
const SCHEMA = [...DISCOVERY, 'schema'];
/** A limit of at most 50 in its example. */
const EXAMPLE_LIMIT = [...DISCOVERY, 'info', 'input', 'queryParams', 'marketsLimit'];
/** The operation of the paid route. */
const OPERATION = ['paths', PAID, 'post'];
/** The first key of receipts. */
const KEY = ['verificationMethod', 0, 'publicKeyJwk'];

const OTHER_KEY = Buffer.alloc(32, 7).toString('base64url');

/** The faults that need a live gateway, because they change the connection or a request. */
export const CUT = 'a connection that is cut';
export const INVALID_EXAMPLE = 'an invalid example in the catalog';

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

/** A preflight that does not allow a header. */
const withoutAllowed = (words: string): Alter =>
  when(
    ({ status }) => status === 204,
    (exchange) => {
      const allowed = String(exchange.headers['access-control-allow-headers']).replace(words, '');
      return withHeaders({ 'access-control-allow-headers': allowed })(exchange);
    },
  );

/** A catalog with one more entry, which has no network. */
function withoutNetwork({ routes, catalog, ...others }: { routes: { path: string }[]; catalog: object }) {
  const broken = { ...routes.find(({ path }) => path === PAID), path: '/v1/x402/else', paymentNetwork: undefined };
  const count = routes.length + 1;
  const counted = { ...catalog, totalRoutes: count, returnedRoutes: count };
  return { ...others, routes: [...routes, broken], catalog: counted };
}

/** Faults of a gateway by the only check that finds each; tests/doctor/findings.txt has what the doctor says. */
const BY_CHECK: Readonly<Record<string, Readonly<Record<string, Alter>>>> = {
  challenge: {
    'the challenge header dropped': headersOf(402, { [PAYMENT_REQUIRED]: undefined }),
    'different amounts in header and body': inHeader(PAID, ['accepts', 0, 'amount'], '1'),
    'a challenge header of more than 4 KiB': inChallenge(PAID, ['resource', 'description'], 'x'.repeat(4000)),
  },
  resource: {
    'a resource at another host': inChallenge(PAID, ['resource', 'url'], `https://else.example${PAID}`),
    'a resource of another path': inChallenge(PAID, ['resource', 'url'], (url: string) => url.slice(0, -1)),
  },
  price: {
    'another amount than in the catalog': inChallenge(PAID, ['accepts', 0, 'amount'], '7000'),
    'another price in the catalog': inDocument(CATALOG, ['routes', PAID, 'priceUsd'], '9.99'),
    'another price in OpenAPI': inDocument(OPENAPI, [...OPERATION, 'x-payment-info', 'price', 'amount'], '0.01'),
  },
  requirements: {
    'no payment requirement': inChallenge(PAID, ['accepts'], []),
    'a payee that is not an address': inChallenge(PAID, ['accepts', 0, 'payTo'], '0xabc'),
  },
  'sign-in': {
    'a challenge stored by a cache': storingCache(),
    'a sign-in for another domain': inChallenge(SIGNED, [...SIGN_IN, 'info', 'domain'], 'else.example'),
    'a sign-in that lasts for years': inChallenge(
      SIGNED,
      [...SIGN_IN, 'info', 'expirationTime'],
      '2100-01-01T00:00:00Z',
    ),
    'a sign-in for one network only': inChallenge(SIGNED, [...SIGN_IN, 'supportedChains', 1]),
  },
  discovery: {
    'a challenge without the discovery extension': inChallenge(PAID, DISCOVERY),
    'a discovery example that does not match its own schema': inChallenge(SIGNED, EXAMPLE_LIMIT, 51),
    'a discovery schema with an outside reference': inChallenge(SIGNED, [...SCHEMA, '$ref'], 'https://else.example/'),
    'a discovery example that the catalog refuses': (exchange) => {
      const open = inChallenge(SIGNED, SCHEMA, ({ $schema }: { $schema: string }) => ({ $schema, type: 'object' }));
      return inChallenge(SIGNED, EXAMPLE_LIMIT, 51)({ ...exchange, ...open(exchange) });
    },
  },
  cors: {
    'a 404 without CORS headers': headersOf(404, { 'access-control-allow-origin': undefined }),
    'a challenge that scripts cannot read': headersOf(402, { 'access-control-expose-headers': 'Content-Type' }),
  },
  caching: {
    'a 402 that caches may store': headersOf(402, { 'cache-control': 'public, max-age=300' }),
    'a 405 without Cache-Control': headersOf(405, { 'cache-control': undefined }),
  },
  nosniff: { 'types that browsers may guess': headersOf(400, { 'x-content-type-options': undefined }) },
  head: {
    'a HEAD that gets past the gate': when((each) => each.method === 'HEAD' && isAt(each, SIGNED), { status: 200 }),
    'a HEAD without the challenge': when(
      ({ method }) => method === 'HEAD',
      withHeaders({ [PAYMENT_REQUIRED]: undefined }),
    ),
  },
  verbs: {
    'a wrong verb that is served': when((each) => each.status === 405 && isAt(each, PAID), { status: 200 }),
    'a 405 that names no verb': headersOf(405, { allow: undefined }),
  },
  preflight: {
    'a preflight with a missing header name': withoutAllowed('PAYMENT-SIGNATURE, '),
    'a preflight that refuses a header of the official browser client': withoutAllowed(
      ', Access-Control-Expose-Headers',
    ),
    'a preflight that has to pay': when((each) => each.method === 'OPTIONS' && isAt(each, SIGNED), refusal(401)),
  },
  probes: {
    'a 400 for the body of an unpaid request': when(
      (each) => isAt(each, PAID) && each.status === 402 && each.asked['content-length'] === '0',
      { status: 400 },
    ),
  },
  refusals: {
    'a page for every unknown path': when(({ status, method }) => status === 404 && method === 'GET', { status: 200 }),
    'refusals as pages': when(
      ({ status }) => status === 404,
      ({ headers }) => ({ headers: { ...headers, 'content-type': 'text/html' }, body: '<h1>Not found</h1>' }),
    ),
  },
  secrets: { 'the name of a key header in an answer': headersOf(402, { vary: 'x-api-key' }) },
  answers: { [CUT]: when((each) => each.method === 'OPTIONS' && isAt(each, PAID), { status: 0 }) },
  examples: {
    [INVALID_EXAMPLE]: inDocument(CATALOG, ['routes', '/v1/x402/tokens/assets/search', 'inputExample', 'limit'], 0),
    'an invalid example in OpenAPI': inDocument(OPENAPI, [...OPERATION, 'requestBody', 'content', 'application/json'], {
      schema: { $ref: '#/components/schemas/RpcGetBalanceRequest' },
      example: { params: 7 },
    }),
  },
  catalog: {
    'a catalog entry without its network': inDocument(CATALOG, [], withoutNetwork),
    'a catalog that miscounts': inDocument(CATALOG, ['catalog', 'totalRoutes'], 61),
  },
  documents: {
    'a document that is never 304': when(({ status }) => status === 304, { status: 200, body: '{}' }),
    'a document without an ETag': when(
      (each) => isAt(each, CATALOG) && each.status === 200,
      withHeaders({ etag: undefined }),
    ),
    'no OpenAPI': when((each) => isAt(each, OPENAPI) && ['GET', 'HEAD'].includes(each.method), refusal(500)),
  },
  openapi: {
    'a route missing from OpenAPI': inDocument(OPENAPI, ['paths', PAID]),
    'a route missing from the catalog': inDocument(OPENAPI, ['paths', '/v1/else'], {
      post: { responses: { 402: {} } },
    }),
    'an OpenAPI of another server': inDocument(OPENAPI, ['servers', 0, 'url'], 'https://else.example'),
    'an operation without a price': inDocument(OPENAPI, [...OPERATION, 'x-payment-info']),
    'a dead reference': inDocument(OPENAPI, ['components', 'schemas', 'PaymentRequired']),
  },
  'well-known': { 'a missing resource': inDocument('/.well-known/x402', ['resources', 0]) },
  llms: {
    'a surface missing from llms.txt': when(
      (each) => isAt(each, '/llms.txt'),
      ({ body }) => ({ body: body.replaceAll(/rpc/gi, 'calls') }),
    ),
  },
  liveness: { 'a wrong liveness body': inDocument('/healthz', ['status'], 'starting') },
  receipts: {
    'a missing DID document': when((each) => isAt(each, DID_DOCUMENT), refusal(404)),
    'a DID document of another origin': inDocument(DID_DOCUMENT, ['id'], 'did:web:elsewhere.example'),
    'a key under the id of another key': inDocument(DID_DOCUMENT, [...KEY, 'x'], OTHER_KEY),
    'a key with its private part': inDocument(DID_DOCUMENT, [...KEY, 'd'], 'd'),
    'a DID document without keys': inDocument(DID_DOCUMENT, ['verificationMethod'], []),
    'a key without assertionMethod': inDocument(DID_DOCUMENT, ['assertionMethod'], []),
  },
};

/** A fault of a gateway, the only check that finds it, and how it comes about. */
export const FAULTS = Object.entries(BY_CHECK).flatMap(([check, faults]) =>
  Object.entries(faults).map(([name, alter]) => [name, check, alter] as const),
);

export type SeededFault = (typeof FAULTS)[number];
