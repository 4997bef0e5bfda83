import { readSiwxPayload, type SiwxPayload } from '@asset-gateway/protocol';

const MAX_HEADER_BYTES = 4096;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Strict base64 of the standard alphabet, with or without its padding, and no second spelling of the same bytes. */
function decodeBase64(value: string): Uint8Array | undefined {
  if (!BASE64.test(value)) return undefined;
  const bytes = Buffer.from(value, 'base64');
  const canonical = bytes.toString('base64');
  return value === canonical || value === canonical.replace(/=+$/, '') ? bytes : undefined;
}

/** Reads the SIGN-IN-WITH-X header; nothing when it is not one well-formed payload within its limits. */
export function readSignIn(header: string): SiwxPayload | undefined {
  if (header.length > MAX_HEADER_BYTES) return undefined;
  const bytes = decodeBase64(header);
  if (!bytes) return undefined;
  try {
    return readSiwxPayload(JSON.parse(utf8.decode(bytes)));
  } catch {
    return undefined;
  }
}
