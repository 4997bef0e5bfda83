import bs58 from 'bs58';

/** The bits that a digit holds at least. */
const BITS = 5;

/**
 * Decodes a base58 text of exactly `length` bytes; undefined for other texts. Does not decode longer texts, because that takes quadratic
 * time.
 */
export function decodeBase58(text: string, length: number): Uint8Array | undefined {
  if (text.length > Math.ceil((length * 8) / BITS)) return undefined;
  const bytes = bs58.decodeUnsafe(text);
  return bytes?.length === length ? bytes : undefined;
}

const ADDRESS_BYTES = 32;

/** Whether a value is a Solana address in base58. */
export const isAddress = (value: unknown): value is string =>
  typeof value === 'string' && decodeBase58(value, ADDRESS_BYTES) !== undefined;
