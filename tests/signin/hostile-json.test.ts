import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rounds } from '../kit/rounds.ts';
import { startTestGateway, type TestGateway } from '../kit/test-gateway.ts';
import { encodeHeader, newSigner } from '../kit/wallet.ts';
import {
  type Asker,
  askWith,
  challengeOf,
  costsNothing,
  overHttp,
  refusedWith,
  SEARCH,
  signedPayload,
  statusOf,
} from './craft.ts';
import { type DirectGateway, openDirect } from './direct-gateway.ts';

let gateway: TestGateway;
let direct: DirectGateway;
let asker: Asker;
beforeAll(async () => {
  gateway = await startTestGateway({}, { windowMs: 3_600_000 });
  direct = await openDirect();
  asker = overHttp(gateway);
});
afterAll(() => Promise.all([gateway.stop(), direct.close()]));

const MALFORMED = 'invalid_siwx_header';
const encodeText = (json: string): string => Buffer.from(json).toString('base64');
const member = (name: string, value: unknown): string => `${JSON.stringify(name)}:${JSON.stringify(value)}`;

/** JSON text with one key twice: first this value, at the end the payload's own. */
const twice = (payload: Record<string, unknown>, name: string, first: unknown): string =>
  encodeText(
    `{${[[name, first] as const, ...Object.entries(payload)].map(([key, value]) => member(key, value)).join()}}`,
  );

describe('S15 of a key that stands twice the last one counts', () => {
  it.each(['nonce', 'uri', 'address', 'domain', 'signature', 'issuedAt', 'expirationTime', 'statement'])(
    '%s: the sign-in passes where the last one is signed',
    async (name) => {
      const payload = await signedPayload(await challengeOf(asker));
      const other = await signedPayload(await challengeOf(asker), { uri: gateway.url, statement: 'another' });
      const { [name]: value, ...rest } = payload;
      const lines = gateway.logLines.length;
      expect(await statusOf(askWith(asker, twice({ ...rest, [name]: value }, name, other[name])))).toBe(200);
      expect(JSON.parse(gateway.logLines[lines] ?? '').wallet).toBe(payload.address);
      await refusedWith('invalid_siwx_nonce', askWith(asker, encodeHeader(payload)));
      expect(await statusOf(askWith(asker, encodeHeader(other)))).toBe(200);
    },
  );

  it.each(['nonce', 'uri', 'address', 'statement'])(
    '%s: the sign-in is refused where the first one is signed',
    async (name) => {
      const payload = await signedPayload(await challengeOf(asker));
      const other = await signedPayload(await challengeOf(asker), { uri: gateway.url, statement: 'another' });
      const swapped = twice({ ...payload, [name]: other[name] }, name, payload[name]);
      await costsNothing(gateway, asker, () => refusedWith('invalid_siwx_signature', askWith(asker, swapped)));
      for (const genuine of [payload, other]) expect(await statusOf(askWith(asker, encodeHeader(genuine)))).toBe(200);
    },
  );
});

const NAMES = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf'];

function expectCleanPrototypes(): void {
  expect(Object.keys(Object.prototype)).toEqual([]);
  expect(Reflect.get({}, 'polluted')).toBeUndefined();
  expect(Reflect.get([], 'polluted')).toBeUndefined();
}

describe('S16 no payload reaches a prototype', () => {
  it('with special keys beside a genuine sign-in', async () => {
    for (const name of NAMES) {
      const payload = await signedPayload(await challengeOf(asker));
      expect(await statusOf(askWith(asker, twice(payload, name, { polluted: true })))).toBe(200);
      expectCleanPrototypes();
    }
  });

  it('with its fields inside a special key', async () => {
    const payload = await signedPayload(await challengeOf(asker));
    await costsNothing(gateway, asker, async () => {
      for (const name of NAMES) {
        await refusedWith(MALFORMED, askWith(asker, encodeText(`{${member(name, payload)}}`)));
        expectCleanPrototypes();
      }
    });
  });

  it('with special words as values, many times', async () => {
    const challenge = await challengeOf(direct);
    for (let round = 0; round < rounds(150) * NAMES.length; round++) {
      const word = NAMES[round % NAMES.length] ?? '';
      const payload = { ...(await signedPayload(challenge)), chainId: word, type: word, [word]: { polluted: word } };
      expect(await statusOf(askWith(direct, encodeHeader(payload)))).toBe(402);
    }
    expectCleanPrototypes();
    expect(direct.upstream.arrivals).toHaveLength(0);
  });
});

describe('S17 a value of another type, size or depth is refused', () => {
  const values: [string, unknown][] = [
    ['null', null],
    ['a number', 1],
    ['a boolean', true],
    ['an array of the text', 'text'],
    ['an object', { toString: 'text' }],
    ['an empty text', ''],
  ];
  const required = ['domain', 'address', 'uri', 'version', 'chainId', 'type', 'nonce', 'issuedAt', 'signature'];

  it.each(required)('in %s', async (field) => {
    const challenge = await challengeOf(asker);
    const genuine = await signedPayload(challenge);
    const { [field]: own, ...rest } = genuine;
    await costsNothing(gateway, asker, async () => {
      await refusedWith(MALFORMED, askWith(asker, encodeHeader(rest)));
      for (const [, value] of values) {
        const changed = { ...genuine, [field]: value === 'text' ? [own] : value };
        await refusedWith(MALFORMED, askWith(asker, encodeHeader(changed)));
      }
    });
    expect(await statusOf(askWith(asker, encodeHeader(genuine)))).toBe(200);
  });

  it.each(['statement', 'expirationTime', 'notBefore', 'requestId', 'signatureScheme', 'resources'])(
    'in %s',
    async (field) => {
      const genuine = await signedPayload(await challengeOf(asker));
      await costsNothing(gateway, asker, async () => {
        for (const value of [null, 1, true, { a: 1 }, [1], [['a']], [null]]) {
          await refusedWith(MALFORMED, askWith(asker, encodeHeader({ ...genuine, [field]: value })));
        }
      });
      expect(await statusOf(askWith(asker, encodeHeader(genuine)))).toBe(200);
    },
  );

  it('in 100,000 resources, or 10,000 arrays deep', async () => {
    const genuine = await signedPayload(await challengeOf(direct));
    const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
    const json = JSON.stringify(genuine);
    await costsNothing(direct, direct, async () => {
      await refusedWith(
        MALFORMED,
        askWith(direct, encodeHeader({ ...genuine, resources: Array.from({ length: 100_000 }, () => 'r') })),
      );
      await refusedWith(MALFORMED, askWith(direct, encodeText(deep)));
      await refusedWith(MALFORMED, askWith(direct, encodeText(json.replace('{', `{"a":${deep},`))));
    });
    expect(await statusOf(askWith(direct, encodeHeader(genuine)))).toBe(200);
  });

  it('whatever JSON it is, as the payload or in any of its fields', async () => {
    const challenge = await challengeOf(direct);
    const signer = newSigner();
    const genuine = await signedPayload(challenge, {}, signer);
    const fields = fc.subarray(Object.keys(genuine), { minLength: 1 });
    const anyJson = fc.asyncProperty(fc.jsonValue(), fields, async (value, names) => {
      const partly = { ...genuine, ...Object.fromEntries(names.map((name) => [name, value])) };
      for (const json of [value, partly]) expect(await statusOf(askWith(direct, encodeHeader(json)))).toBe(402);
    });
    await costsNothing(direct, direct, () => fc.assert(anyJson, { numRuns: rounds(20) * 100 }));
    expect(await statusOf(askWith(direct, encodeHeader(genuine), SEARCH))).toBe(200);
  }, 300_000);
});
