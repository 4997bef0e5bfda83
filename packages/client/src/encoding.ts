const DIGITS = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const utf8 = new TextEncoder();

/** Bytes as base58. A library for both directions would add a fifth to what a page loads to sign in. */
export function base58(bytes: Uint8Array): string {
  let number = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  let text = '';
  for (; number > 0n; number /= 58n) text = DIGITS[Number(number % 58n)] + text;
  const firstNonZero = bytes.findIndex((byte) => byte !== 0);
  return '1'.repeat(firstNonZero < 0 ? bytes.length : firstNonZero) + text;
}

/** The base64 of a text's UTF-8 bytes. */
export function base64(text: string): string {
  let bytes = '';
  for (const byte of utf8.encode(text)) bytes += String.fromCharCode(byte);
  return btoa(bytes);
}
