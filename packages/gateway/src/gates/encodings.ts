const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const BASE = ALPHABET.length;
const ONE = ALPHABET.charCodeAt(0);
/** Digits per step, and bits per limb: their product fits a double without loss. */
const [DIGITS, LIMB_BITS] = [4, 24];
const LIMB = 2 ** LIMB_BITS;
const LIMB_BYTES = LIMB_BITS / 8;

/** Digit values by character code. */
const VALUES: readonly (number | undefined)[] = Array.from({ length: 128 }, (_, code) => {
  const value = ALPHABET.indexOf(String.fromCharCode(code));
  return value < 0 ? undefined : value;
});

/** The number of a text, lowest limb first; undefined for an invalid digit or more limbs. */
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

/** The number, highest byte first; undefined if it has more bytes. */
function bytesOf(limbs: readonly number[], length: number): Buffer | undefined {
  const bytes = Buffer.alloc(limbs.length * LIMB_BYTES);
  let end = bytes.length;
  for (const limb of limbs) {
    end -= LIMB_BYTES;
    bytes.writeUIntBE(limb, end, LIMB_BYTES);
  }
  const head = bytes.length - length;
  for (let index = 0; index < head; index++) if (bytes[index] !== 0) return undefined;
  return bytes.subarray(head);
}

/** Decodes a base58 text of exactly `length` bytes; each leading zero byte is one leading 1. */
export function decodeBase58(text: string, length: number): Buffer | undefined {
  // A digit holds more than 5 bits.
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

/** Strict base64 of the standard alphabet, padded or not; only the canonical spelling of the bytes. */
export function decodeBase64(value: string): Uint8Array | undefined {
  if (value === '') return undefined;
  const bytes = Buffer.from(value, 'base64');
  // Node skips invalid characters; only what it would write itself is accepted.
  const canonical = bytes.toString('base64');
  const isUnpadded = value.length < canonical.length && value === canonical.slice(0, canonical.indexOf('='));
  return value === canonical || isUnpadded ? bytes : undefined;
}

/** Decodes base64 JSON, as in x402's headers; undefined for anything else. */
export function decodeJsonHeader(value: string): unknown {
  const bytes = decodeBase64(value);
  if (!bytes) return undefined;
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    return undefined;
  }
}
