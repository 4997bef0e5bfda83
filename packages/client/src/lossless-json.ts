import { withNumbers } from '@asset-gateway/protocol/wire';

const LONG_DIGITS = 16;
const DIGITS = /^-?[0-9]+$/;

/** Returns a JSON text with its long integers in quotes, so that parsing loses no digit. Undefined if it has none. */
const withLongNumbersQuoted = (json: string): string | undefined =>
  withNumbers(json, (text) => (text.length >= LONG_DIGITS && DIGITS.test(text) ? `"${text}"` : undefined));

type JsonMembers = Record<string, unknown>;

/** Replaces the numbers at a path by bigints with the exact copy's digits. */
function convert(holder: JsonMembers, exact: JsonMembers, path: readonly string[]): void {
  const [name = '', ...rest] = path;
  for (const key of name === '*' && Array.isArray(holder) ? Object.keys(holder) : [name]) {
    const [value, digits] = [holder[key], exact[key]];
    if (rest.length > 0) {
      const goesOn = typeof value === 'object' && value !== null && Object.hasOwn(holder, key);
      if (goesOn) convert(value as JsonMembers, digits as JsonMembers, rest);
    } else if (typeof value === 'number' && Number.isInteger(value)) holder[key] = BigInt(digits as string | number);
  }
}

/**
 * Parses JSON with the 64-bit numbers at these paths as bigints. A path is names joined by dots, with `*` for each item of a list. Other
 * values are those of JSON.parse.
 */
export function parseLossless(json: string, paths: readonly string[]): unknown {
  const value: unknown = JSON.parse(json);
  if (typeof value !== 'object' || value === null || paths.length === 0) return value;
  const quoted = withLongNumbersQuoted(json);
  const exact = (quoted === undefined ? value : JSON.parse(quoted)) as JsonMembers;
  for (const path of paths) convert(value as JsonMembers, exact, path.split('.'));
  return value;
}

/** Replaces each integer that JavaScript would round by a bigint with the exact copy's digits. */
function convertRounded(value: JsonMembers, exact: JsonMembers): void {
  const open: [JsonMembers, JsonMembers][] = [[value, exact]];
  for (let pair = open.pop(); pair; pair = open.pop()) {
    const [holder, copy] = pair;
    for (const [key, each] of Object.entries(holder)) {
      const digits = copy[key];
      if (typeof each === 'object' && each !== null) open.push([each as JsonMembers, digits as JsonMembers]);
      else if (typeof each === 'number' && typeof digits === 'string' && !Number.isSafeInteger(each))
        holder[key] = BigInt(digits);
    }
  }
}

/** Like `parseLossless`, but all integers beyond 2^53 become bigints. */
export function parseWhole(json: string, paths: readonly string[]): unknown {
  const value = parseLossless(json, paths);
  const quoted = withLongNumbersQuoted(json);
  if (typeof value === 'object' && value !== null && quoted !== undefined)
    convertRounded(value as JsonMembers, JSON.parse(quoted) as JsonMembers);
  return value;
}

/** Returns the result in an answer's text. Integers of 16 and more digits become strings. */
export function parseReadable(json: string, isBare: boolean): unknown {
  const body = JSON.parse(withLongNumbersQuoted(json) ?? json) as JsonMembers;
  return isBare ? body : body.result;
}
