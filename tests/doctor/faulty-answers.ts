import type { Alter, Exchange } from '../kit/recording-proxy.ts';
import {
  at,
  changedHeader,
  headersOf,
  inChallenge,
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
export const faultyChallenges = seeded({
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
export const faultyAnswers = seeded({
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
