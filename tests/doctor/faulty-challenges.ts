import type { Alter, Exchange } from './proxy.ts';
import {
  at,
  type Challenge,
  changedHeader,
  headersOf,
  inChallenge,
  PAID,
  PAYMENT_REQUIRED,
  type SeededFault,
  SIGNED,
  without,
} from './seeds.ts';

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

/** Faults of challenges. */
export const faultyChallenges: readonly SeededFault[] = [
  {
    name: 'the challenge header dropped',
    alter: headersOf(402, (headers) => without(headers, PAYMENT_REQUIRED)),
    check: 'challenge',
    where: /^GET .*\/tokens\/health$/,
    problem: /has no PAYMENT-REQUIRED/,
    fix: /Send base64 of the challenge in PAYMENT-REQUIRED/,
  },
  {
    name: 'different amounts in header and body',
    alter: (exchange) =>
      at(exchange.target, PAID) && exchange.status === 402
        ? {
            headers: changedHeader(exchange, ({ accepts }: Challenge) =>
              Object.assign(accepts[0] ?? {}, { amount: '1' }),
            ),
          }
        : undefined,
    check: 'challenge',
    where: new RegExp(`^POST .*${PAID}$`),
    problem: /header and body differ in accepts/,
    fix: /Send the same challenge in both/,
  },
  {
    name: 'a challenge header of more than 4 KiB',
    alter: inChallenge(PAID, ({ resource }: Challenge) => Object.assign(resource, { description: 'x'.repeat(4000) })),
    check: 'challenge',
    where: new RegExp(`^POST .*${PAID}$`),
    problem: /more than 4096 characters/,
    fix: /Shorten the discovery/,
  },
  {
    name: 'a resource at another host',
    alter: inChallenge(PAID, ({ resource }: Challenge) =>
      Object.assign(resource, { url: `https://else.example${PAID}` }),
    ),
    check: 'resource',
    where: new RegExp(`^POST .*${PAID}$`),
    problem: /resource\.url is at https:\/\/else\.example, which is not the requested URL/,
    fix: /GATEWAY_BASE_URL/,
  },
  {
    name: 'a resource of another path',
    alter: inChallenge(PAID, ({ resource }: Challenge) => Object.assign(resource, { url: resource.url.slice(0, -1) })),
    check: 'resource',
    where: new RegExp(`^POST .*${PAID}$`),
    problem: /resource\.url is http:.*getBalanc, which is not the requested URL/,
    fix: /GATEWAY_BASE_URL/,
  },
  {
    name: 'another amount than in the catalog',
    alter: inChallenge(PAID, ({ accepts }: Challenge) => Object.assign(accepts[0] ?? {}, { amount: '7000' })),
    check: 'price',
    where: new RegExp(`^POST .*${PAID}$`),
    problem: /7000 atomic units in the 402/,
    fix: /Use one price for POST /,
  },
  {
    name: 'no payment requirement',
    alter: inChallenge(PAID, (challenge: Challenge) => Object.assign(challenge, { accepts: [] })),
    check: 'requirements',
    where: new RegExp(`^POST .*${PAID}$`),
    problem: /accepts is empty/,
    fix: /Offer a payment requirement/,
  },
  {
    name: 'a payee that is not an address',
    alter: inChallenge(PAID, ({ accepts }: Challenge) => Object.assign(accepts[0] ?? {}, { payTo: '0xabc' })),
    check: 'requirements',
    where: new RegExp(`^POST .*${PAID}$`),
    problem: /invalid payTo/,
    fix: /base58 payTo/,
  },
  {
    name: 'a challenge stored by a cache',
    alter: storingCache(),
    check: 'sign-in',
    where: /^GET .*\/tokens\/health$/,
    problem: /another challenge has the same nonce/,
    fix: /Create a nonce for each 402/,
  },
  {
    name: 'a sign-in for another domain',
    alter: inChallenge(SIGNED, ({ extensions }: Challenge) =>
      Object.assign(extensions['sign-in-with-x'].info, { domain: 'else.example' }),
    ),
    check: 'sign-in',
    where: new RegExp(`^GET .*${SIGNED}$`),
    problem: /domain or uri of the sign-in/,
    fix: /GATEWAY_BASE_URL/,
  },
  {
    name: 'a sign-in that lasts for years',
    alter: inChallenge(SIGNED, ({ extensions }: Challenge) =>
      Object.assign(extensions['sign-in-with-x'].info, {
        expirationTime: '2100-01-01T00:00:00.000Z',
      }),
    ),
    check: 'sign-in',
    where: new RegExp(`^GET .*${SIGNED}$`),
    problem: /does not expire within 300 seconds/,
    fix: /Set expirationTime/,
  },
  {
    name: 'a sign-in for one network only',
    alter: inChallenge(SIGNED, ({ extensions }: Challenge) => extensions['sign-in-with-x'].supportedChains.pop()),
    check: 'sign-in',
    where: new RegExp(`^GET .*${SIGNED}$`),
    problem: /supportedChains is not the two Solana networks/,
    fix: /Offer mainnet and devnet/,
  },
  {
    name: 'a challenge without the discovery extension',
    alter: inChallenge(PAID, ({ extensions }: Challenge) => Object.assign(extensions, { bazaar: undefined })),
    check: 'discovery',
    where: new RegExp(`^POST .*${PAID}$`),
    problem: /indexes skip it/,
    fix: /Add the extension bazaar/,
  },
  {
    name: 'a discovery example that does not match its own schema',
    alter: inChallenge(SIGNED, ({ extensions }: Challenge) =>
      Object.assign(extensions.bazaar.info.input.queryParams, { marketsLimit: 51 }),
    ),
    check: 'discovery',
    where: new RegExp(`^GET .*${SIGNED}$`),
    problem: /does not match its own schema: .*marketsLimit/,
    fix: /Use a valid example/,
  },
  {
    name: 'a discovery schema with an outside reference',
    alter: inChallenge(SIGNED, ({ extensions }: Challenge) =>
      Object.assign(extensions.bazaar.schema, { $ref: 'https://else.example/schema.json' }),
    ),
    check: 'discovery',
    where: new RegExp(`^GET .*${SIGNED}$`),
    problem: /is not self-contained/,
    fix: /without outside references/,
  },
  {
    name: 'a discovery example that the catalog refuses',
    alter: inChallenge(SIGNED, ({ extensions: { bazaar } }: Challenge) => {
      bazaar.schema = { $schema: bazaar.schema.$schema, type: 'object' };
      bazaar.info.input.queryParams.marketsLimit = 51;
    }),
    check: 'discovery',
    where: new RegExp(`^GET .*${SIGNED}$`),
    problem: /the catalog's schema refuses the example of the discovery extension: .*marketsLimit/,
    fix: /Use a valid example/,
  },
];
