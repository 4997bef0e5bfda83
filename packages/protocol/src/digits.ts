import { afterString } from './json.ts';

/** The start of a marked string. In JSON this character is always escaped. */
const MARK = '\0';
const ESCAPED_MARK = '\\u0000';
/** Matches the start of a string, or the characters of a number. */
const TOKEN = /"|[-+.0-9eE]+/g;

/** A number with its original text. It is used if JavaScript would write the number differently: 9007199254740993, 1.50. */
class Digits {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

/** Replaces the numbers in a valid JSON text for which `change` returns another text. Undefined if it replaces none. */
export function withNumbers(json: string, change: (text: string) => string | undefined): string | undefined {
  const pieces: string[] = [];
  let done = 0;
  TOKEN.lastIndex = 0;
  for (let token = TOKEN.exec(json); token; token = TOKEN.exec(json)) {
    const [text] = token;
    // The other tokens are parts of `true` and `false`.
    const changed = /[0-9]/.test(text) ? change(text) : undefined;
    if (text === '"') TOKEN.lastIndex = afterString(json, token.index);
    else if (changed !== undefined) {
      pieces.push(json.slice(done, token.index), changed);
      done = token.index + text.length;
    }
  }
  return pieces.length > 0 ? pieces.join('') + json.slice(done) : undefined;
}

const marked = (text: string): string | undefined =>
  String(Number(text)) === text ? undefined : `"${ESCAPED_MARK}${text}"`;

/**
 * Parses a JSON text for `losslessJson`. Undefined if `JSON.parse` keeps every digit. Also undefined if the text contains an escaped NUL,
 * which marks numbers here. `lossless-json` takes three times as long where `JSON.parse` keeps every digit, and refuses repeated names.
 */
export function losslessValue(json: string): unknown {
  const text = json.includes(ESCAPED_MARK) ? undefined : withNumbers(json, marked);
  if (text === undefined) return undefined;
  return JSON.parse(text, (_, value: unknown) =>
    typeof value === 'string' && value.startsWith(MARK) ? new Digits(value.slice(1)) : value,
  );
}

/** Writes JSON that keeps each digit of `losslessValue` and of bigints. Omits undefined members. */
export function losslessJson(value: unknown): string {
  if (value instanceof Digits) return value.text;
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return `[${value.map(losslessJson).join(',')}]`;
  // A client's JSON may have a member of this name.
  const hasOwnForm = typeof value === 'object' && value !== null && typeof Reflect.get(value, 'toJSON') === 'function';
  if (typeof value !== 'object' || value === null || hasOwnForm) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).filter(([, each]) => each !== undefined);
  return `{${members.map(([name, each]) => `${JSON.stringify(name)}:${losslessJson(each)}`).join(',')}}`;
}
