import { HIDDEN } from '@asset-gateway/protocol';

const MAX_LENGTH = 120;

/** An upstream's text without hidden characters, shortened to a length; empty if it is not a string. */
export function plain(text: unknown, maxLength = MAX_LENGTH): string {
  if (typeof text !== 'string') return '';
  // Cut first, so that a text of megabytes is not scanned.
  const start = text.slice(0, maxLength + 1).replace(HIDDEN, '');
  return start.length > maxLength || text.length > maxLength + 1 ? `${start.slice(0, maxLength)}…` : start;
}

const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Writes hidden characters as JSON escapes. */
export const withEscapes = (text: string): string =>
  text.replace(HIDDEN, (each) => (each === '\n' ? each : each.split('').map(escaped).join('')));

/** The JSON text that a header carries in base64, if any. */
export function decodedHeader(value: string): string | undefined {
  // `{"` in base64.
  if (!value.startsWith('ey')) return undefined;
  try {
    const bytes = Uint8Array.from(atob(value), (each) => each.charCodeAt(0));
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    JSON.parse(text);
    return text;
  } catch {
    return undefined;
  }
}
