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
