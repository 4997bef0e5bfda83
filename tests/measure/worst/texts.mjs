const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

const repeated = (piece) => (bytes) => piece.repeat(Math.max(0, Math.floor(bytes / Buffer.byteLength(piece))));

/** As many numbered pieces as fit. */
const numbered = (piece) => (bytes) => {
  const pieces = [];
  for (let size = 0; ; ) {
    const next = piece(pieces.length);
    size += Buffer.byteLength(next);
    if (size > bytes) return pieces.join('');
    pieces.push(next);
  }
};

/** Texts of any place, by kind; each function makes one of a given size in bytes. */
const ANYWHERE = {
  'one letter': repeated('z'),
  'base58 digits': (bytes) => Array.from({ length: bytes }, (_, at) => BASE58[(at * at + 7 * at) % 58]).join(''),
  'decimal digits': repeated('9'),
  brackets: repeated('['),
  commas: repeated(','),
};

/** The worst texts for a value. */
const VALUES = {
  ...ANYWHERE,
  blanks: repeated(' '),
  quotes: repeated('"'),
  backslashes: repeated('\\'),
  dots: repeated('.'),
  hyphens: repeated('-'),
  'wide characters': repeated('\u{1f600}'),
  'combining marks': repeated('\u0301'),
  'control characters': repeated('\u0001'),
};

/** The same, escaped for a path or query, and texts only for these. */
export const IN_URL = {
  ...ANYWHERE,
  'escaped blanks': repeated('%20'),
  pluses: repeated('+'),
  'pluses and letters': repeated('a+'),
  'letters and commas': repeated('a,'),
  'escaped quotes': repeated('%22'),
  'escaped backslashes': repeated('%5C'),
  'escaped percents': repeated('%25'),
  'wide characters': repeated('%F0%9F%98%80'),
  'control characters': repeated('%01'),
  dots: repeated('.'),
  'half an escape': repeated('%'),
};

/** Whole queries. */
export const QUERIES = {
  ampersands: repeated('&'),
  'equals signs': repeated('='),
  'one name again and again': repeated('a&'),
  'unknown names': numbered((at) => `${at.toString(36)}=&`),
  'unreadable names': repeated('%00&'),
};

/** Whole paths behind a slash. */
export const PATHS = {
  slashes: repeated('/'),
  segments: repeated('a/'),
  'escaped slashes': repeated('%2F'),
  'escaped dots': repeated('%2e'),
  ...IN_URL,
};

/** Header values. */
export const HEADER_VALUES = {
  ...ANYWHERE,
  blanks: (bytes) => `a${repeated(' ')(bytes - 2)}a`,
  tabs: (bytes) => `a${repeated('\t')(bytes - 2)}a`,
  'letters and commas': repeated('a,'),
  'blanks and commas': repeated(' ,'),
  quotes: repeated('"'),
  backslashes: repeated('\\'),
  'equals signs': repeated('='),
  addresses: repeated('::ffff:127.0.0.1,'),
};

/** Many small header lines. */
export const HEADER_LINES = {
  'one name again and again': (bytes) => Array.from({ length: Math.floor(bytes / 6) }, () => 'a: b'),
  'small names': (bytes) => Array.from({ length: Math.floor(bytes / 9) }, (_, at) => `x${at.toString(36)}: b`),
  cookies: (bytes) => Array.from({ length: Math.floor(bytes / 13) }, () => 'Cookie: a=b'),
};

/** JSON values of any kind. */
export const JSON_VALUES = {
  ...Object.fromEntries(
    Object.entries(VALUES).map(([kind, text]) => [kind, (bytes) => JSON.stringify(text(bytes / 2))]),
  ),
  'one long letter': (bytes) => JSON.stringify(VALUES['one letter'](bytes)),
  'long base58 digits': (bytes) => JSON.stringify(VALUES['base58 digits'](bytes)),
  'escaped letters': (bytes) => `"${repeated('\\u0061')(bytes)}"`,
  'a long number': (bytes) => VALUES['decimal digits'](bytes),
  'a list of numbers': (bytes) => `[${repeated('1,')(bytes)}1]`,
  'a list of texts': (bytes) => `[${repeated('"",')(bytes)}""]`,
  'a list of lists': (bytes) => `[${repeated('[],')(bytes)}[]]`,
  'a list of objects': (bytes) => `[${repeated('{},')(bytes)}{}]`,
  'a list of addresses': (bytes) => `[${repeated(`"${'z'.repeat(43)}",`)(bytes)}""]`,
  'a list of one long text': (bytes) => `[${JSON.stringify(VALUES['one letter'](bytes))}]`,
  'unknown names': (bytes) => `{${numbered((at) => `"${at.toString(36)}":1,`)(bytes)}"z":1}`,
  'unknown long names': (bytes) => `{${numbered((at) => `"${'k'.repeat(200)}${at}":1,`)(bytes)}"z":1}`,
  'depth 32': (bytes) => `[${repeated(`${'['.repeat(29)}${']'.repeat(29)},`)(bytes)}1]`,
};

/** The most expensive of them, for the many places in a body. */
export const DEAREST_JSON_VALUES = Object.fromEntries(
  ['one long letter', 'a list of texts', 'a list of addresses', 'unknown names', 'depth 32'].map((kind) => [
    kind,
    JSON_VALUES[kind],
  ]),
);
