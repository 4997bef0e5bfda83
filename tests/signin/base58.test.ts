import { randomBytes } from 'node:crypto';
import bs58 from 'bs58';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeBase58 } from '../../packages/gateway/src/gates/encodings.ts';
import { samples } from '../kit/rounds.ts';

const DIGITS = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** What the library makes of a text, when it is so many bytes. */
function expected(text: string, length: number): Buffer | undefined {
  const bytes = bs58.decodeUnsafe(text);
  return bytes?.length === length ? Buffer.from(bytes) : undefined;
}

it.each([32, 64])('base58 of %i bytes is read as the library reads it, zeros in front as well', (length) => {
  for (let zeros = 0; zeros <= length; zeros++) {
    const bytes = Buffer.concat([Buffer.alloc(zeros), randomBytes(length - zeros)]);
    expect(decodeBase58(bs58.encode(bytes), length)).toEqual(bytes);
  }
});

it.each([32, 64])('other texts are read as the library reads them, or refused where not %i bytes', (length) => {
  const digits = fc.constantFrom(...DIGITS, '1', 'z', 'z');
  const texts = fc.string({ unit: digits, minLength: Math.floor(length * 1.3), maxLength: Math.ceil(length * 1.4) });
  const anything = fc.oneof(
    texts,
    fc.string({ unit: fc.constantFrom(...DIGITS, '0', 'O', 'l', ' ', '\u00e9', '\u0131') }),
  );
  fc.assert(
    fc.property(anything, (text) => {
      expect(decodeBase58(text, length)).toEqual(expected(text, length));
    }),
    { numRuns: samples(2_000) },
  );
});
