import { HIDDEN } from '@asset-gateway/protocol';

const MAX_LENGTH = 120;

/** A name or sentence of an upstream as it may be shown: nothing unseen in it, and no longer than it is worth. */
export function plain(text: unknown, maxLength = MAX_LENGTH): string {
  if (typeof text !== 'string') return '';
  // Cut first, so that a text of megabytes is not read to its end.
  const start = text.slice(0, maxLength + 1).replace(HIDDEN, '');
  return start.length > maxLength || text.length > maxLength + 1 ? `${start.slice(0, maxLength)}…` : start;
}

const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** The same text with what cannot be seen written as JSON escapes it. */
export const withEscapes = (text: string): string =>
  text.replace(HIDDEN, (each) => (each === '\n' ? each : each.split('').map(escaped).join('')));
