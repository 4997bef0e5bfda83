import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { everyThird, rounds } from '../kit/rounds.ts';
import { encodeHeader } from '../kit/wallet.ts';
import { askWith, challengeOf, costsNothing, refusedWith, signedPayload, signInFor, statusOf } from './craft.ts';
import { directAfterTests } from './direct-gateway.ts';
import { jsonTestSuite } from './vectors.ts';

const direct = await directAfterTests();

const MALFORMED = 'invalid_siwx_header';
const encodeText = (json: string): string => Buffer.from(json).toString('base64');
const member = (name: string, value: unknown): string => `${JSON.stringify(name)}:${JSON.stringify(value)}`;

/** JSON text with a duplicate key: this value first, the payload's own last. */
const twice = (payload: Record<string, unknown>, name: string, first: unknown): string =>
  encodeText(
    `{${[[name, first] as const, ...Object.entries(payload)].map(([key, value]) => member(key, value)).join()}}`,
  );

describe('S15 a duplicate key: the last value counts', () => {
  it.each(['nonce', 'uri', 'address', 'domain', 'signature', 'issuedAt', 'expirationTime', 'statement'])(
    '%s: accepted if the last value is the signed one',
    async (name) => {
      const payload = await signedPayload(await challengeOf(direct));
      const other = await signedPayload(await challengeOf(direct), { uri: direct.origin, statement: 'another' });
      const { [name]: value, ...rest } = payload;
      const { length } = direct.lines;
      expect(await statusOf(askWith(direct, twice({ ...rest, [name]: value }, name, other[name])))).toBe(200);
      expect(direct.lines[length]?.wallet).toBe(payload.address);
      await refusedWith('invalid_siwx_nonce', askWith(direct, encodeHeader(payload)));
      expect(await statusOf(askWith(direct, encodeHeader(other)))).toBe(200);
    },
  );

  it.each(['nonce', 'uri', 'address', 'statement'])(
    '%s: refused if the first value is the signed one',
    async (name) => {
      const payload = await signedPayload(await challengeOf(direct));
      const other = await signedPayload(await challengeOf(direct), { uri: direct.origin, statement: 'another' });
      const swapped = twice({ ...payload, [name]: other[name] }, name, payload[name]);
      await costsNothing(direct, () => refusedWith('invalid_siwx_signature', askWith(direct, swapped)));
      for (const genuine of [payload, other]) expect(await statusOf(askWith(direct, encodeHeader(genuine)))).toBe(200);
    },
  );
});

const NAMES = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf'];

function expectCleanPrototypes(): void {
  expect(Object.keys(Object.prototype)).toEqual([]);
  expect(Reflect.get({}, 'polluted')).toBeUndefined();
  expect(Reflect.get([], 'polluted')).toBeUndefined();
}

describe('S16 a payload does not pollute prototypes', () => {
  it('with special keys in a good sign-in', async () => {
    for (const name of NAMES) {
      const payload = await signedPayload(await challengeOf(direct));
      expect(await statusOf(askWith(direct, twice(payload, name, { polluted: true })))).toBe(200);
      expectCleanPrototypes();
    }
  });

  it('with its fields in a special key', async () => {
    const payload = await signedPayload(await challengeOf(direct));
    await costsNothing(direct, async () => {
      for (const name of NAMES) {
        await refusedWith(MALFORMED, askWith(direct, encodeText(`{${member(name, payload)}}`)));
        expectCleanPrototypes();
      }
    });
  });

  it('with special names as values', async () => {
    const challenge = await challengeOf(direct);
    const { length } = direct.upstream.arrivals;
    for (let round = 0; round < rounds(150) * NAMES.length; round++) {
      const word = NAMES[round % NAMES.length] ?? '';
      const payload = { ...(await signedPayload(challenge)), chainId: word, type: word, [word]: { polluted: word } };
      expect(await statusOf(askWith(direct, encodeHeader(payload)))).toBe(402);
    }
    expectCleanPrototypes();
    expect(direct.upstream.arrivals).toHaveLength(length);
  });
});

describe('S17 a payload of another shape', () => {
  it('is refused: 100,000 resources, or 10,000 nested arrays', async () => {
    const genuine = await signedPayload(await challengeOf(direct));
    const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
    const json = JSON.stringify(genuine);
    await costsNothing(direct, async () => {
      await refusedWith(
        MALFORMED,
        askWith(direct, encodeHeader({ ...genuine, resources: Array.from({ length: 100_000 }, () => 'r') })),
      );
      await refusedWith(MALFORMED, askWith(direct, encodeText(deep)));
      await refusedWith(MALFORMED, askWith(direct, encodeText(json.replace('{', `{"a":${deep},`))));
    });
    expect(await statusOf(askWith(direct, encodeHeader(genuine)))).toBe(200);
  });
});

it('S14 JSONTestSuite as headers: each of its 318 files is refused', { timeout: 90_000 }, async () => {
  const files = jsonTestSuite();
  expect(files).toHaveLength(318);
  await costsNothing(direct, async () => {
    for (const { bytes } of everyThird(files, 0))
      await refusedWith(MALFORMED, askWith(direct, bytes.toString('base64')));
  });
});

type Mutation = readonly [kind: 'flip' | 'cut' | 'insert', at: number, byte: number];

function mutated(bytes: Buffer, [kind, at, byte]: Mutation): Buffer {
  const index = Math.floor(at * bytes.length);
  const [head, tail] = [bytes.subarray(0, index), bytes.subarray(index)];
  if (kind === 'insert') return Buffer.concat([head, Buffer.of(byte), tail]);
  return Buffer.concat([head, kind === 'cut' ? Buffer.of() : Buffer.of((tail[0] ?? 0) ^ byte), tail.subarray(1)]);
}

const meaning = (bytes: Buffer): unknown => {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
};

describe('S14 a mutated sign-in', () => {
  const kind = fc.constantFrom('flip' as const, 'cut' as const, 'insert' as const);
  const mutation = fc.tuple(
    kind,
    fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    fc.integer({ min: 1, max: 255 }),
  );

  it('is refused, in its JSON or in its base64', async () => {
    const header = await signInFor(direct);
    const json = Buffer.from(header, 'base64');
    const changes = fc.asyncProperty(
      fc.array(mutation, { minLength: 1, maxLength: 3 }),
      fc.boolean(),
      async (list, inside) => {
        const bytes = list.reduce(mutated, inside ? json : Buffer.from(header));
        const sent = inside ? bytes.toString('base64') : bytes.toString('latin1').replace(/[^\x21-\x7e]/g, '!');
        // A comma makes two headers of one, of which the last counts.
        fc.pre(!sent.includes(','));
        fc.pre(JSON.stringify(meaning(Buffer.from(sent, 'base64'))) !== JSON.stringify(meaning(json)));
        expect(await statusOf(askWith(direct, sent))).toBe(402);
      },
    );
    await costsNothing(direct, () => fc.assert(changes, { numRuns: rounds(20) * 100 }));
    expect(await statusOf(askWith(direct, header))).toBe(200);
  }, 300_000);
});
