import bs58 from 'bs58';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { base58 } from '../../packages/client/src/encoding.ts';

it('base58 of any bytes, also with leading zeros and of none, equals that of bs58', () => {
  fc.assert(
    fc.property(fc.nat(8), fc.uint8Array({ maxLength: 80 }), (zeros, rest) => {
      const bytes = Uint8Array.of(...new Uint8Array(zeros), ...rest);
      expect(base58(bytes)).toBe(bs58.encode(bytes));
    }),
  );
});
