const LONG_DIGITS = 16;
const DIGITS = /^[0-9]+$/;
/** A string from its opening to its closing quote, or what a number is made of. */
const TOKEN = /"|[-+.0-9eE]+/g;

/** The place after the string that opens here. */
function afterString(json: string, start: number): number {
  let end = start + 1;
  while (end < json.length && json[end] !== '"') end += json[end] === '\\' ? 2 : 1;
  return end + 1;
}

/** The same JSON with each long whole number between quotes, so that none of its digits is lost; nothing where there is none. */
function withLongNumbersQuoted(json: string): string | undefined {
  const parts: string[] = [];
  let done = 0;
  TOKEN.lastIndex = 0;
  for (let token = TOKEN.exec(json); token; token = TOKEN.exec(json)) {
    const [text] = token;
    if (text === '"') TOKEN.lastIndex = afterString(json, token.index);
    else if (text.length >= LONG_DIGITS && DIGITS.test(text)) {
      parts.push(json.slice(done, token.index), `"${text}"`);
      done = token.index + text.length;
    }
  }
  return parts.length > 0 ? parts.join('') + json.slice(done) : undefined;
}

type Members = Record<string, unknown>;

/** Puts a bigint wherever the path leads, with the digits that the exact copy has there. */
function convert(holder: Members, exact: Members, path: readonly string[]): void {
  const [name = '', ...rest] = path;
  for (const key of name === '*' && Array.isArray(holder) ? Object.keys(holder) : [name]) {
    const [value, digits] = [holder[key], exact[key]];
    if (rest.length > 0) {
      const goesOn = typeof value === 'object' && value !== null && Object.hasOwn(holder, key);
      if (goesOn) convert(value as Members, digits as Members, rest);
    } else if (typeof value === 'number' && Number.isInteger(value)) holder[key] = BigInt(digits as string | number);
  }
}

/**
 * Reads JSON without losing a digit of the numbers of 64 bits that stand at these paths (names joined by dots, `*` for each item
 * of a list): they become bigints. All other values are as JSON.parse gives them.
 */
export function parseExact(json: string, paths: readonly string[]): unknown {
  const value: unknown = JSON.parse(json);
  if (typeof value !== 'object' || value === null || paths.length === 0) return value;
  const quoted = withLongNumbersQuoted(json);
  const exact = (quoted === undefined ? value : JSON.parse(quoted)) as Members;
  for (const path of paths) convert(value as Members, exact, path.split('.'));
  return value;
}

/** The result in an answer's text, as JSON that anything can read: whole numbers of 16 digits and more are text. */
export function parseReadable(json: string, isBare: boolean): unknown {
  const body = JSON.parse(withLongNumbersQuoted(json) ?? json) as Members;
  return isBare ? body : body.result;
}
