import { afterString } from './json.ts';

/** Begins a marked string. JSON has this character only as an escape. */
const MARK = '\0';
const ESCAPED_MARK = '\\u0000';
const IN_NUMBER = /[-+.0-9eE]/;
const STARTS_NUMBER = /[-0-9]/;

/** A number with the text that it is written as, if JavaScript writes it otherwise: 9007199254740993, 1.50. */
class Digits {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A valid JSON text with such numbers as marked strings; undefined if it has none. */
function marked(json: string): string | undefined {
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at < json.length; at++) {
    if (json[at] === '"') at = afterString(json, at) - 1;
    else if (STARTS_NUMBER.test(json.charAt(at))) {
      const start = at;
      while (IN_NUMBER.test(json.charAt(at + 1))) at++;
      const text = json.slice(start, at + 1);
      if (String(Number(text)) === text) continue;
      parts.push(json.slice(from, start), `"${ESCAPED_MARK}${text}"`);
      from = at + 1;
    }
  }
  return parts.length === 0 ? undefined : parts.join('') + json.slice(from);
}

/**
 * The value of a JSON text, for `exactJson`; undefined if JavaScript's value has every digit, or if the text has a NUL, which marks
 * numbers here.
 */
export function exactValue(json: string): unknown {
  const text = json.includes(ESCAPED_MARK) ? undefined : marked(json);
  if (text === undefined) return undefined;
  return JSON.parse(text, (_, value: unknown) =>
    typeof value === 'string' && value.startsWith(MARK) ? new Digits(value.slice(1)) : value,
  );
}

/** JSON that keeps each digit of `exactValue` and of bigints. Members that are undefined are left out. */
export function exactJson(value: unknown): string {
  if (value instanceof Digits) return value.text;
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return `[${value.map(exactJson).join(',')}]`;
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).filter(([, each]) => each !== undefined);
  return `{${members.map(([name, each]) => `${JSON.stringify(name)}:${exactJson(each)}`).join(',')}}`;
}
