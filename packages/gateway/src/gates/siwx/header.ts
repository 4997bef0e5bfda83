import { readSiwxPayload, type SiwxPayload } from '@asset-gateway/protocol';
import { decodeJsonHeader } from '../base64.ts';

const MAX_MEMBER_BYTES = 4096;

/**
 * What follows the first member, if there is one: a client that adds its fresh header to a stale one sends two, which HTTP
 * joins with a comma. With a third the rest has a comma and is no base64. Nothing when one of the two is too long.
 */
function lastOfTwo(header: string): string | undefined {
  const comma = header.indexOf(',');
  let start = comma + 1;
  while (comma >= 0 && (header[start] === ' ' || header[start] === '\t')) start++;
  const isTooLong = comma > MAX_MEMBER_BYTES || header.length - start > MAX_MEMBER_BYTES;
  return isTooLong ? undefined : header.slice(start);
}

/** Reads the SIGN-IN-WITH-X header; nothing when it does not end in one well-formed payload within its limits. */
export function readSignIn(header: string): SiwxPayload | undefined {
  const member = lastOfTwo(header);
  return member === undefined ? undefined : readSiwxPayload(decodeJsonHeader(member));
}
