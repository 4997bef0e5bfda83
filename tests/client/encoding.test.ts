import bs58 from 'bs58';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseLossless, parseReadable } from '../../packages/client/src/lossless-json.ts';
import { base58 } from '../../packages/client/src/signer.ts';

const LARGEST = '18446744073709551615';

describe('a 64-bit number', () => {
  it('becomes a bigint with all its digits', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 2n ** 64n - 1n), (number) => {
        expect(parseLossless(`{"a":{"b":${number}}}`, ['a.b'])).toEqual({ a: { b: number } });
      }),
    );
  });

  it.each<[string, string, string[], unknown]>([
    ['in lists', `[{"n":1},{"n":${LARGEST}},{}]`, ['*.n'], [{ n: 1n }, { n: 18_446_744_073_709_551_615n }, {}]],
    ['in a list of numbers', `{"n":[1,${LARGEST}]}`, ['n.*'], { n: [1n, 18_446_744_073_709_551_615n] }],
    ['null', '{"a":null,"b":null}', ['a', 'b.c'], { a: null, b: null }],
    ['missing', '{"other":1}', ['a', 'b.c', '*.d'], { other: 1 }],
    ['a string', '{"a":"12345678901234567890"}', ['a'], { a: '12345678901234567890' }],
    ['a fraction', '{"a":1.5}', ['a'], { a: 1.5 }],
    ['after a string that looks like it', `{"t":"\\"a\\":${LARGEST}","a":7}`, ['a'], { t: `"a":${LARGEST}`, a: 7n }],
    ['at a path with a name of Object.prototype', '{"a":1}', ['toString', '__proto__.a'], { a: 1 }],
  ])('may be %s', (_, json, paths, expected) => {
    expect(parseLossless(json, paths)).toEqual(expected);
  });
});

describe('other JSON', () => {
  it('is parsed as by JSON.parse', () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        expect(parseLossless(json, ['a name.that no text has', '*.either'])).toEqual(JSON.parse(json));
      }),
    );
  });

  it('is refused as by JSON.parse', () => {
    for (const json of ['', '{', '{"a":01234567890123456789}', `{"a":${LARGEST}`]) {
      expect(() => parseLossless(json, ['a'])).toThrow(SyntaxError);
    }
  });
});

it('parseReadable turns a long integer into a string', () => {
  expect(parseReadable(`{"ok":true,"result":{"a":${LARGEST},"b":5}}`, false)).toEqual({ a: LARGEST, b: 5 });
});

it('base58 of any bytes, also of none or with leading zeros, equals the text of bs58', () => {
  fc.assert(
    fc.property(fc.nat(8), fc.uint8Array({ maxLength: 80 }), (zeros, rest) => {
      const bytes = Uint8Array.of(...new Uint8Array(zeros), ...rest);
      expect(base58(bytes)).toBe(bs58.encode(bytes));
    }),
  );
});
