/** Returns a member of parsed JSON; undefined if the value is not an object or lacks the member. */
export const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;

/** A foreign JSON object. */
export type Members = Readonly<Record<string, unknown>>;

/** Whether a value is an object and not a list. */
export const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether a value nests at most this deep. */
export const isShallow = (value: unknown, levels: number): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (levels > 0 && Object.values(value).every((each) => isShallow(each, levels - 1)));

/** Returns the value at a path of names in parsed JSON, if any. */
export const below = (value: unknown, ...names: readonly string[]): unknown =>
  names.reduce((inside, name) => member(inside, name), value);

/** Returns the object at a path; empty if there is none. */
export function objectAt(value: unknown, ...names: readonly string[]): Members {
  const found = below(value, ...names);
  return isObject(found) ? found : {};
}

/** Returns the list at a path; empty if there is none. */
export function listAt(value: unknown, ...names: readonly string[]): readonly unknown[] {
  const found = below(value, ...names);
  return Array.isArray(found) ? found : [];
}

/** Returns the text at a path; empty if there is none. */
export function textAt(value: unknown, ...names: readonly string[]): string {
  const found = below(value, ...names);
  return typeof found === 'string' ? found : '';
}

const SPACE = /\s/;
const MAX_INDENT = 64;

/** Indented JSON, possibly cut. */
interface Indented {
  readonly text: string;
  readonly isWhole: boolean;
}

const newLine = (depth: number): string => `\n${'  '.repeat(Math.max(0, Math.min(depth, MAX_INDENT)))}`;

/** Returns the index after the string that starts at `start`. A string that goes beyond `end` is cut there. */
export function afterString(json: string, start: number, end = json.length): number {
  const last = Math.min(end, json.length);
  let at = json.indexOf('"', start + 1);
  // Escapes are rare, so look for one only here. To search for it at each quote would take longer in a text of nothing but escaped quotes.
  if (json[at - 1] === '\\') {
    at = start + 1;
    while (at < last && json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  }
  return at < 0 || at >= last ? Math.min(last + 1, json.length) : at + 1;
}

/** Returns the index of the first character from `start` that is not a space. */
export function afterSpace(json: string, start: number): number {
  let at = start;
  while (at < json.length && SPACE.test(json.charAt(at))) at++;
  return at;
}

/**
 * Returns JSON with indentation. Does not parse its values, so numbers keep every digit. Stops after about `limit` characters. Leaves text
 * that is not JSON nearly unchanged. `write`: escapes texts for the place where they are shown.
 */
export function indentJson(json: string, limit: number, write: (text: string) => string): Indented {
  let [text, at, depth] = ['', afterSpace(json, 0), 0];
  while (at < json.length && text.length < limit) {
    const sign = json.charAt(at);
    let end = at + 1;
    if (sign === '"') {
      end = afterString(json, at, at + limit - text.length);
      text += write(json.slice(at, end));
    } else if (sign === '{' || sign === '[') {
      const next = afterSpace(json, end);
      const isEmpty = json[next] === '}' || json[next] === ']';
      if (isEmpty) end = next + 1;
      else depth++;
      text += isEmpty ? sign + json.charAt(next) : sign + newLine(depth);
    } else if (sign === '}' || sign === ']') text += newLine(--depth) + sign;
    else if (sign === ',') text += sign + newLine(depth);
    else text += sign === ':' ? ': ' : write(sign);
    at = afterSpace(json, end);
  }
  return { text, isWhole: at >= json.length };
}

/** Returns a text without the byte order mark that some editors write. RFC 8259, section 8.1, lets a reader ignore it. */
export const withoutMark = (text: string): string => (text.startsWith('\uFEFF') ? text.slice(1) : text);
