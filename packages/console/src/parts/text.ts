import { HIDDEN, isObject, listAt, type Members } from '@asset-gateway/protocol';

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

/** A long address or signature as `So11…1112`. */
export const short = (text: string): string => (text.length > 12 ? `${text.slice(0, 4)}…${text.slice(-4)}` : text);

/** The objects among the first items of a list; none if it is not a list. */
export const rows = (value: unknown, most: number): readonly Members[] => listAt(value).slice(0, most).filter(isObject);

/** Decodes base64 or base64url. */
export const bytesIn = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64.replaceAll('-', '+').replaceAll('_', '/')), (unit) => unit.charCodeAt(0));

/** Decodes base64 with UTF-8 in it. */
export const textIn = (base64: string): string => new TextDecoder('utf-8', { fatal: true }).decode(bytesIn(base64));

/** The JSON text that a header carries in base64, if any. */
export function decodedHeader(value: string): string | undefined {
  // `{"` in base64.
  if (!value.startsWith('ey')) return undefined;
  try {
    const text = textIn(value);
    JSON.parse(text);
    return text;
  } catch {
    return undefined;
  }
}

const SPACE = /\s/;
const MAX_INDENT = 40;

/** Indented JSON, possibly cut. */
interface Indented {
  readonly text: string;
  readonly isWhole: boolean;
}

const newLine = (depth: number): string => `\n${'  '.repeat(Math.max(0, Math.min(depth, MAX_INDENT)))}`;

/** The index after the string that opens at `start`, at most `end`. */
function afterString(json: string, start: number, end: number): number {
  let at = start + 1;
  while (at < end && json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return Math.min(at + 1, json.length);
}

function afterSpace(json: string, start: number): number {
  let at = start;
  while (at < json.length && SPACE.test(json.charAt(at))) at++;
  return at;
}

/**
 * Indents JSON without parsing its values, so that numbers keep every digit. Stops after about `limit` characters. A text that is
 * not JSON is returned nearly unchanged.
 */
export function indentJson(json: string, limit: number): Indented {
  let [text, at, depth] = ['', afterSpace(json, 0), 0];
  while (at < json.length && text.length < limit) {
    const sign = json.charAt(at);
    let end = at + 1;
    if (sign === '"') {
      end = afterString(json, at, at + limit - text.length);
      text += withEscapes(json.slice(at, end));
    } else if (sign === '{' || sign === '[') {
      const next = afterSpace(json, end);
      const isEmpty = json[next] === '}' || json[next] === ']';
      if (isEmpty) end = next + 1;
      else depth++;
      text += isEmpty ? sign + json.charAt(next) : sign + newLine(depth);
    } else if (sign === '}' || sign === ']') text += newLine(--depth) + sign;
    else if (sign === ',') text += sign + newLine(depth);
    else text += sign === ':' ? ': ' : withEscapes(sign);
    at = afterSpace(json, end);
  }
  return { text, isWhole: at >= json.length };
}
