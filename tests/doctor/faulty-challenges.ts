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
  },
  {
    name: 'a challenge header of more than 4 KiB',
    alter: inChallenge(PAID, ({ resource }: Challenge) => Object.assign(resource, { description: 'x'.repeat(4000) })),
    check: 'challenge',
  },
  {
    name: 'a resource at another host',
    alter: inChallenge(PAID, ({ resource }: Challenge) =>
      Object.assign(resource, { url: `https://else.example${PAID}` }),
    ),
    check: 'resource',
  },
  {
    name: 'a resource of another path',
    alter: inChallenge(PAID, ({ resource }: Challenge) => Object.assign(resource, { url: resource.url.slice(0, -1) })),
    check: 'resource',
  },
  {
    name: 'another amount than in the catalog',
    alter: inChallenge(PAID, ({ accepts }: Challenge) => Object.assign(accepts[0] ?? {}, { amount: '7000' })),
    check: 'price',
  },
  {
    name: 'no payment requirement',
    alter: inChallenge(PAID, (challenge: Challenge) => Object.assign(challenge, { accepts: [] })),
    check: 'requirements',
  },
  {
    name: 'a payee that is not an address',
    alter: inChallenge(PAID, ({ accepts }: Challenge) => Object.assign(accepts[0] ?? {}, { payTo: '0xabc' })),
    check: 'requirements',
  },
  {
    name: 'a challenge stored by a cache',
    alter: storingCache(),
    check: 'sign-in',
  },
  {
    name: 'a sign-in for another domain',
    alter: inChallenge(SIGNED, ({ extensions }: Challenge) =>
      Object.assign(extensions['sign-in-with-x'].info, { domain: 'else.example' }),
    ),
    check: 'sign-in',
  },
  {
    name: 'a sign-in that lasts for years',
    alter: inChallenge(SIGNED, ({ extensions }: Challenge) =>
      Object.assign(extensions['sign-in-with-x'].info, {
        expirationTime: '2100-01-01T00:00:00.000Z',
      }),
    ),
    check: 'sign-in',
  },
  {
    name: 'a sign-in for one network only',
    alter: inChallenge(SIGNED, ({ extensions }: Challenge) => extensions['sign-in-with-x'].supportedChains.pop()),
    check: 'sign-in',
  },
  {
    name: 'a challenge without the discovery extension',
    alter: inChallenge(PAID, ({ extensions }: Challenge) => Object.assign(extensions, { bazaar: undefined })),
    check: 'discovery',
  },
  {
    name: 'a discovery example that does not match its own schema',
    alter: inChallenge(SIGNED, ({ extensions }: Challenge) =>
      Object.assign(extensions.bazaar.info.input.queryParams, { marketsLimit: 51 }),
    ),
    check: 'discovery',
  },
  {
    name: 'a discovery schema with an outside reference',
    alter: inChallenge(SIGNED, ({ extensions }: Challenge) =>
      Object.assign(extensions.bazaar.schema, { $ref: 'https://else.example/schema.json' }),
    ),
    check: 'discovery',
  },
  {
    name: 'a discovery example that the catalog refuses',
    alter: inChallenge(SIGNED, ({ extensions: { bazaar } }: Challenge) => {
      bazaar.schema = { $schema: bazaar.schema.$schema, type: 'object' };
      bazaar.info.input.queryParams.marketsLimit = 51;
    }),
    check: 'discovery',
  },
];
