import fc from 'fast-check';

/** Every code point except surrogate halves. */
const CODE_POINTS = fc.oneof(fc.integer({ max: 0xd7ff, min: 0 }), fc.integer({ max: 0x10ffff, min: 0xe000 }));

/** Text of any characters. Like `fc.string({ unit: 'binary' })`, but faster to set up. */
export const anyText = (lengths: { readonly minLength?: number; readonly maxLength?: number } = {}) =>
  fc.array(CODE_POINTS, lengths).map((points) => String.fromCodePoint(...points));
