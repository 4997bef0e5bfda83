import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExact, parseReadable } from '../../packages/client/src/exact-json.ts';

const LARGEST = '18446744073709551615';

describe('a number of 64 bits', () => {
  it('is a bigint with all of its digits, whatever they are', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 2n ** 64n - 1n), (number) => {
        expect(parseExact(`{"a":{"b":${number}}}`, ['a.b'])).toEqual({ a: { b: number } });
      }),
    );
  });

  it.each<[string, string, string[], unknown]>([
    ['in lists', `[{"n":1},{"n":${LARGEST}},{}]`, ['*.n'], [{ n: 1n }, { n: 18_446_744_073_709_551_615n }, {}]],
    ['in lists of its own', `{"n":[1,${LARGEST}]}`, ['n.*'], { n: [1n, 18_446_744_073_709_551_615n] }],
    ['null', '{"a":null,"b":null}', ['a', 'b.c'], { a: null, b: null }],
    ['not there', '{"other":1}', ['a', 'b.c', '*.d'], { other: 1 }],
    ['text after all', '{"a":"12345678901234567890"}', ['a'], { a: '12345678901234567890' }],
    ['a fraction after all', '{"a":1.5}', ['a'], { a: 1.5 }],
    ['behind a text that looks like it', `{"t":"\\"a\\":${LARGEST}","a":7}`, ['a'], { t: `"a":${LARGEST}`, a: 7n }],
    ['under a name of every object', '{"a":1}', ['toString', '__proto__.a'], { a: 1 }],
  ])('may be %s', (_, json, paths, expected) => {
    expect(parseExact(json, paths)).toEqual(expected);
  });
});

describe('all else', () => {
  it('is as JSON.parse gives it', () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        expect(parseExact(json, ['a name.that no text has', '*.either'])).toEqual(JSON.parse(json));
      }),
    );
  });

  it('is refused as JSON.parse refuses it', () => {
    for (const json of ['', '{', '{"a":01234567890123456789}', `{"a":${LARGEST}`]) {
      expect(() => parseExact(json, ['a'])).toThrow(SyntaxError);
    }
  });
});

it('a long number is text where nothing else would keep its digits', () => {
  expect(parseReadable(`{"ok":true,"result":{"a":${LARGEST},"b":5}}`, false)).toEqual({ a: LARGEST, b: 5 });
});
