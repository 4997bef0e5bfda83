/** A JSON value whose integers may be wider than a double: a bigint is written as exact integer text. */
export type Json =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly Json[]
  | { readonly [name: string]: Json | undefined };

/** A JSON object. */
export type JsonObject = { readonly [name: string]: Json | undefined };

/** Writes JSON without undefined members. */
export function writeJson(value: Json): string {
  if (typeof value === 'bigint') return value.toString();
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (isList(value)) return `[${value.map(writeJson).join(',')}]`;
  const members = Object.entries(value).flatMap(([name, member]) =>
    member === undefined ? [] : [`${JSON.stringify(name)}:${writeJson(member)}`],
  );
  return `{${members.join(',')}}`;
}

/** The characters of a number. */
const NUMBER = /[-+.\deE]+/g;
const WIDE_INTEGER = /^-?\d{16,}$/;
const MARK = '\u0000integer:';

const marked = (text: string): string =>
  text.replace(NUMBER, (number) => (WIDE_INTEGER.test(number) ? JSON.stringify(MARK + number) : number));

function endOfString(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
  return end + 1;
}

/** Turns integers of 16 digits and more into marked strings. */
function withMarks(text: string): string {
  let result = '';
  for (let at = 0; at < text.length; ) {
    const quote = text.indexOf('"', at);
    const start = quote < 0 ? text.length : quote;
    const end = endOfString(text, start);
    result += marked(text.slice(at, start)) + text.slice(start, end);
    at = end;
  }
  return result;
}

/** Parses JSON; integers of 16 digits and more become bigints, so that none is rounded. Throws if invalid. */
export function readJson(text: string): Json {
  return JSON.parse(withMarks(text), (_, value: Json) =>
    typeof value === 'string' && value.startsWith(MARK) ? BigInt(value.slice(MARK.length)) : value,
  );
}

/** Whether a value is a JSON array. */
export const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

/** Whether a value is a JSON object. */
export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
