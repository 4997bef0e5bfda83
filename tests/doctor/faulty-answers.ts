import type { Alter, Exchange } from './proxy.ts';
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
  type SeededFault,
  SIGNED,
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
export const faultyChallenges: readonly SeededFault[] = [
  ['the challenge header dropped', 'challenge', headersOf(402, { [PAYMENT_REQUIRED]: undefined })],
  [
    'different amounts in header and body',
    'challenge',
    (exchange) =>
      at(exchange.target, PAID) && exchange.status === 402
        ? {
            headers: changedHeader(exchange, ({ accepts: [first] }: Challenge) =>
              Object.assign(first ?? {}, { amount: '1' }),
            ),
          }
        : undefined,
  ],
  ['a challenge header of more than 4 KiB', 'challenge', inResource({ description: 'x'.repeat(4000) })],
  ['a resource at another host', 'resource', inResource({ url: `https://else.example${PAID}` })],
  [
    'a resource of another path',
    'resource',
    inChallenge(PAID, ({ resource }: Challenge) => Object.assign(resource, { url: resource.url.slice(0, -1) })),
  ],
  ['another amount than in the catalog', 'price', inRequirement({ amount: '7000' })],
  [
    'no payment requirement',
    'requirements',
    inChallenge(PAID, (challenge) => Object.assign(challenge, { accepts: [] })),
  ],
  ['a payee that is not an address', 'requirements', inRequirement({ payTo: '0xabc' })],
  ['a challenge stored by a cache', 'sign-in', storingCache()],
  ['a sign-in for another domain', 'sign-in', inSignIn({ domain: 'else.example' })],
  ['a sign-in that lasts for years', 'sign-in', inSignIn({ expirationTime: '2100-01-01T00:00:00.000Z' })],
  [
    'a sign-in for one network only',
    'sign-in',
    inChallenge(SIGNED, ({ extensions }: Challenge) => extensions['sign-in-with-x'].supportedChains.pop()),
  ],
  [
    'a challenge without the discovery extension',
    'discovery',
    inChallenge(PAID, ({ extensions }: Challenge) => Object.assign(extensions, { bazaar: undefined })),
  ],
  [
    'a discovery example that does not match its own schema',
    'discovery',
    inDiscovery(({ info }) => Object.assign(info.input.queryParams, { marketsLimit: 51 })),
  ],
  [
    'a discovery schema with an outside reference',
    'discovery',
    inDiscovery(({ schema }) => Object.assign(schema, { $ref: 'https://else.example/schema.json' })),
  ],
  [
    'a discovery example that the catalog refuses',
    'discovery',
    inDiscovery((bazaar) => {
      bazaar.schema = { $schema: bazaar.schema.$schema, type: 'object' };
      bazaar.info.input.queryParams.marketsLimit = 51;
    }),
  ],
];

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
export const faultyAnswers: readonly SeededFault[] = [
  ['a 404 without CORS headers', 'cors', headersOf(404, { 'access-control-allow-origin': undefined })],
  ['a challenge that scripts cannot read', 'cors', headersOf(402, { 'access-control-expose-headers': 'Content-Type' })],
  ['a 402 that caches may store', 'caching', headersOf(402, { 'cache-control': 'public, max-age=300' })],
  ['a 405 without Cache-Control', 'caching', headersOf(405, { 'cache-control': undefined })],
  ['types that browsers may guess', 'nosniff', headersOf(400, { 'x-content-type-options': undefined })],
  [
    'a HEAD that gets past the gate',
    'head',
    when(({ method, target }) => method === 'HEAD' && at(target, SIGNED), { status: 200 }),
  ],
  [
    'a HEAD without the challenge',
    'head',
    ({ method, headers }) =>
      method === 'HEAD' ? { headers: patched(headers, { [PAYMENT_REQUIRED]: undefined }) } : undefined,
  ],
  [
    'a wrong verb that is served',
    'verbs',
    when(({ status, target }) => status === 405 && at(target, PAID), { status: 200 }),
  ],
  ['a 405 that names no verb', 'verbs', headersOf(405, { allow: undefined })],
  ['a preflight with a missing header name', 'preflight', withoutAllowed('PAYMENT-SIGNATURE, ')],
  [
    'a preflight that refuses a header of the official browser client',
    'preflight',
    withoutAllowed(', Access-Control-Expose-Headers'),
  ],
  [
    'a preflight that has to pay',
    'preflight',
    when(({ method, target }) => method === 'OPTIONS' && at(target, SIGNED), refusal(401)),
  ],
  [
    'a 400 for the body of an unpaid request',
    'probes',
    when(({ asked, target, status }) => at(target, PAID) && status === 402 && asked['content-length'] === '0', {
      status: 400,
    }),
  ],
  [
    'a page for every unknown path',
    'refusals',
    when(({ status, method }) => status === 404 && method === 'GET', { status: 200 }),
  ],
  [
    'refusals as pages',
    'refusals',
    ({ status, headers }) =>
      status === 404
        ? { headers: patched(headers, { 'content-type': 'text/html' }), body: '<h1>Not found</h1>' }
        : undefined,
  ],
  ['the name of a key header in an answer', 'secrets', headersOf(402, { vary: 'x-api-key' })],
  [CUT, 'answers', when(({ method, target }) => method === 'OPTIONS' && at(target, PAID), { status: 0 })],
];
