const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Strict base64 of the standard alphabet, with or without its padding, and no second spelling of the same bytes. */
export function decodeBase64(value: string): Uint8Array | undefined {
  if (!BASE64.test(value)) return undefined;
  const bytes = Buffer.from(value, 'base64');
  const canonical = bytes.toString('base64');
  return value === canonical || value === canonical.replace(/=+$/, '') ? bytes : undefined;
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
