import { readSiwxPayload, type SiwxPayload } from '@asset-gateway/protocol';
import { decodeJsonHeader } from '../base64.ts';

const MAX_HEADER_BYTES = 4096;

/** Reads the SIGN-IN-WITH-X header; nothing when it is not one well-formed payload within its limits. */
export function readSignIn(header: string): SiwxPayload | undefined {
  return header.length > MAX_HEADER_BYTES ? undefined : readSiwxPayload(decodeJsonHeader(header));
}
