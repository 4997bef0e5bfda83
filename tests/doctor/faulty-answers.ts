import { at, headersOf, PAID, PAYMENT_REQUIRED, refusal, type SeededFault, SIGNED, without } from './seeds.ts';

/** Faults of status, headers and verbs. */
export const faultyAnswers: readonly SeededFault[] = [
  {
    name: 'a 404 without CORS headers',
    alter: headersOf(404, (headers) => without(headers, 'access-control-allow-origin')),
    check: 'cors',
  },
  {
    name: 'a challenge that scripts cannot read',
    alter: headersOf(402, (headers) => ({ ...headers, 'access-control-expose-headers': 'Content-Type' })),
    check: 'cors',
  },
  {
    name: 'a 402 that caches may store',
    alter: headersOf(402, (headers) => ({ ...headers, 'cache-control': 'public, max-age=300' })),
    check: 'caching',
  },
  {
    name: 'a 405 without Cache-Control',
    alter: headersOf(405, (headers) => without(headers, 'cache-control')),
    check: 'caching',
  },
  {
    name: 'types that browsers may guess',
    alter: headersOf(400, (headers) => without(headers, 'x-content-type-options')),
    check: 'nosniff',
  },
  {
    name: 'a HEAD that gets past the gate',
    alter: ({ method, target }) => (method === 'HEAD' && at(target, SIGNED) ? { status: 200 } : undefined),
    check: 'head',
  },
  {
    name: 'a HEAD without the challenge',
    alter: ({ method, headers }) => (method === 'HEAD' ? { headers: without(headers, PAYMENT_REQUIRED) } : undefined),
    check: 'head',
  },
  {
    name: 'a wrong verb that is served',
    alter: ({ status, target }) => (status === 405 && at(target, PAID) ? { status: 200 } : undefined),
    check: 'verbs',
  },
  {
    name: 'a 405 that names no verb',
    alter: headersOf(405, (headers) => without(headers, 'allow')),
    check: 'verbs',
  },
  {
    name: 'a preflight with a missing header name',
    alter: headersOf(204, (headers) => ({
      ...headers,
      'access-control-allow-headers': String(headers['access-control-allow-headers']).replace(
        'PAYMENT-SIGNATURE, ',
        '',
      ),
    })),
    check: 'preflight',
  },
  {
    name: 'a preflight that refuses a header of the official browser client',
    alter: headersOf(204, (headers) => ({
      ...headers,
      'access-control-allow-headers': String(headers['access-control-allow-headers']).replace(
        ', Access-Control-Expose-Headers',
        '',
      ),
    })),
    check: 'preflight',
  },
  {
    name: 'a preflight that has to pay',
    alter: ({ method, target }) => (method === 'OPTIONS' && at(target, SIGNED) ? refusal(401) : undefined),
    check: 'preflight',
  },
  {
    name: 'a 400 for the body of an unpaid request',
    alter: ({ asked, target, status }) =>
      at(target, PAID) && status === 402 && asked['content-length'] === '0' ? { status: 400 } : undefined,
    check: 'probes',
  },
  {
    name: 'a page for every unknown path',
    alter: ({ status, method }) => (status === 404 && method === 'GET' ? { status: 200 } : undefined),
    check: 'refusals',
  },
  {
    name: 'refusals as pages',
    alter: ({ status, headers }) =>
      status === 404 ? { headers: { ...headers, 'content-type': 'text/html' }, body: '<h1>Not found</h1>' } : undefined,
    check: 'refusals',
  },
  {
    name: 'the name of a key header in an answer',
    alter: headersOf(402, (headers) => ({ ...headers, vary: 'x-api-key' })),
    check: 'secrets',
  },
  {
    name: 'a connection that is cut',
    isLive: true,
    alter: ({ method, target }) => (method === 'OPTIONS' && at(target, PAID) ? { status: 0 } : undefined),
    check: 'answers',
  },
];
