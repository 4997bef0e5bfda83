const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const BASE = ALPHABET.length;
const ONE = ALPHABET.charCodeAt(0);
/** Digits that are taken together, and a limb of the number: what both make fits into a double without loss. */
const [DIGITS, LIMB_BITS] = [4, 24];
const LIMB = 2 ** LIMB_BITS;
const LIMB_BYTES = LIMB_BITS / 8;

/** By character code; beyond the table and in its gaps there is none. */
const VALUES: readonly (number | undefined)[] = Array.from({ length: 128 }, (_, code) => {
  const value = ALPHABET.indexOf(String.fromCharCode(code));
  return value < 0 ? undefined : value;
});

/** The number of a text, its lowest limb first; nothing when a character is no digit or the number has more limbs. */
function limbsOf(text: string, count: number): number[] | undefined {
  const limbs = new Array<number>(count).fill(0);
  for (let from = 0; from < text.length; from += DIGITS) {
    let [factor, carry] = [1, 0];
    for (let index = from; index < Math.min(from + DIGITS, text.length); index++) {
      const value = VALUES[text.charCodeAt(index)];
      if (value === undefined) return undefined;
      factor *= BASE;
      carry = carry * BASE + value;
    }
    for (let index = 0; index < count; index++) {
      const sum = (limbs[index] ?? 0) * factor + carry;
      carry = Math.floor(sum / LIMB);
      limbs[index] = sum - carry * LIMB;
    }
    if (carry > 0) return undefined;
  }
  return limbs;
}

/** The number, its highest byte first; nothing when it has more bytes. */
function bytesOf(limbs: readonly number[], length: number): Buffer | undefined {
  const bytes = Buffer.alloc(limbs.length * LIMB_BYTES);
  limbs.forEach((limb, index) => {
    bytes.writeUIntBE(limb, bytes.length - (index + 1) * LIMB_BYTES, LIMB_BYTES);
  });
  const head = bytes.length - length;
  for (let index = 0; index < head; index++) if (bytes[index] !== 0) return undefined;
  return bytes.subarray(head);
}

/** The bytes of a base58 text that stands for exactly so many; a text has one leading 1 for each leading byte of zero. */
export function decodeBase58(text: string, length: number): Buffer | undefined {
  // A digit is worth more than 5 bits.
  if (text.length > Math.ceil((length * 8) / 5)) return undefined;
  const limbs = limbsOf(text, Math.ceil(length / LIMB_BYTES));
  const bytes = limbs && bytesOf(limbs, length);
  if (!bytes) return undefined;
  let zeros = 0;
  while (zeros < length && bytes[zeros] === 0) zeros++;
  let ones = 0;
  while (ones < text.length && text.charCodeAt(ones) === ONE) ones++;
  return ones === zeros ? bytes : undefined;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Strict base64 of the standard alphabet, with or without its padding, and no second spelling of the same bytes. */
export function decodeBase64(value: string): Uint8Array | undefined {
  if (value === '') return undefined;
  const bytes = Buffer.from(value, 'base64');
  // Whatever else Node skips or forgives is not what it would write.
  const canonical = bytes.toString('base64');
  const isUnpadded = value.length < canonical.length && value === canonical.slice(0, canonical.indexOf('='));
  return value === canonical || isUnpadded ? bytes : undefined;
}

/** Base64 of UTF-8 of JSON, as x402's headers are; nothing for anything else. */
export function decodeJsonHeader(value: string): unknown {
  const bytes = decodeBase64(value);
  if (!bytes) return undefined;
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    return undefined;
  }
}
