const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const BASE = 58;
/** The most digits whose number a double holds exactly. */
const DIGITS = 9;
const POWERS = Array.from({ length: DIGITS + 1 }, (_, exponent) => BigInt(BASE) ** BigInt(exponent));
/** Digit values by character code. */
const VALUES = Array.from({ length: 128 }, (_, code) => {
  const value = ALPHABET.indexOf(String.fromCharCode(code));
  return value < 0 ? Number.NaN : value;
});

/** Decodes a base58 text of exactly `length` bytes; each leading zero byte is one leading 1. */
export function decodeBase58(text: string, length: number): Buffer | undefined {
  // A digit holds more than 5 bits.
  if (text.length > Math.ceil((length * 8) / 5)) return undefined;
  let number = 0n;
  for (let from = 0; from < text.length; from += DIGITS) {
    const end = Math.min(from + DIGITS, text.length);
    let part = 0;
    for (let index = from; index < end; index++) {
      part = part * BASE + (VALUES[text.charCodeAt(index)] ?? Number.NaN);
    }
    if (Number.isNaN(part)) return undefined;
    number = number * (POWERS[end - from] ?? 1n) + BigInt(part);
  }
  let zeros = 0;
  while (text[zeros] === '1') zeros++;
  const hex = number === 0n ? '' : number.toString(16);
  const isExact = zeros + Math.ceil(hex.length / 2) === length;
  return isExact ? Buffer.from(hex.padStart(2 * length, '0'), 'hex') : undefined;
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
