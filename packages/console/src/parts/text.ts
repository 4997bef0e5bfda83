import { attempt, HIDDEN, isObject, listAt, type Members } from '@asset-gateway/protocol';

const MAX_LENGTH = 120;

/** Returns an upstream's text, shortened and without hidden characters; empty if it is not a string. */
export function plain(text: unknown, maxLength = MAX_LENGTH): string {
  if (typeof text !== 'string') return '';
  // Cut first, so that a text of megabytes is not scanned.
  const start = text.slice(0, maxLength + 1).replace(HIDDEN, '');
  return start.length > maxLength || text.length > maxLength + 1 ? `${start.slice(0, maxLength)}…` : start;
}

/** Returns a long address or signature as `So11…1112`. */
export const short = (text: string): string => (text.length > 12 ? `${text.slice(0, 4)}…${text.slice(-4)}` : text);

/** Returns the objects among a list's first items; empty if it is not a list. */
export const rows = (value: unknown, most: number): readonly Members[] => listAt(value).slice(0, most).filter(isObject);

/** Decodes base64 or base64url. */
export const bytesIn = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64.replaceAll('-', '+').replaceAll('_', '/')), (unit) => unit.charCodeAt(0));

/** Decodes base64 with UTF-8 in it. */
export const textIn = (base64: string): string => new TextDecoder('utf-8', { fatal: true }).decode(bytesIn(base64));

export const isJson = (text: string): boolean => attempt(() => JSON.parse(text) !== undefined, false);

/** Returns the JSON text in a header's base64, if any. */
export function decodedHeader(value: string): string | undefined {
  // `{"` in base64.
  const text = value.startsWith('ey') ? attempt(() => textIn(value), '') : '';
  return isJson(text) ? text : undefined;
}
