/** Changes a path. */
export type Spelling = (path: string) => string;

const beforeLast =
  (text: string): Spelling =>
  (path) =>
    path.replace(/\/([^/]*)$/, `/${text}/$1`);
const after =
  (text: string): Spelling =>
  (path) =>
    path + text;
const before =
  (text: string): Spelling =>
  (path) =>
    text + path;
const hex = (letter: string): string => `%${letter.charCodeAt(0).toString(16)}`;

/** Encodes the first letter of the last segment. */
export const encodedLetter: Spelling = (path) =>
  path.replace(/\/(\w)([^/]*)$/, (_, a: string, b: string) => `/${hex(a)}${b}`);

/** Spellings that an HTTP parser accepts. */
export const SPELLINGS: Readonly<Record<string, Spelling>> = {
  plain: after(''),
  'trailing slash': after('/'),
  'doubled slash': (path) => path.replace(/\/([^/]*)$/, '//$1'),
  'slashes first': before('//'),
  'another host as path': before('//evil.example'),
  'dot segment': beforeLast('.'),
  'dot segments': beforeLast('x/..'),
  'dots at the end': after('/..'),
  'dots to the liveness route': after('/../../../../../../healthz'),
  'encoded dots': beforeLast('x/%2e%2e'),
  'encoded letter': encodedLetter,
  'all letters encoded': (path) => path.replace(/[a-z]/g, hex),
  'encoded twice': (path) => encodedLetter(path).replace('%', '%25'),
  'upper case': (path) => path.toUpperCase(),
  semicolon: after(';x'),
  'encoded zero': after('%00'),
  suffix: after('.json'),
  'encoded slash': after('%2f'),
  'encoded slashes': (path) => path.replace(/(.)\/([^/]*)$/, '$1%2f$2'),
  'encoded backslash': after('%5c'),
  backslash: after('\\'),
  'backslash for slash': (path) => path.replace(/(.)\/([^/]*)$/, '$1\\$2'),
  'encoded line break': after('%0d%0aX:%20y'),
  'encoded space': after('%20'),
  pipe: after('|'),
  backtick: after('`'),
  'absolute form': before('http://127.0.0.1'),
  'absolute form of another host': before('http://evil.example'),
  'empty query': after('?'),
  'unknown parameter': after('?x=1'),
  'a path as query': (path) => `/?${path}`,
  'broken escape in the query': after('?q=%zz'),
  'not UTF-8 in the query': after('?q=%ff'),
  fragment: after('#x'),
  'encoded mark': after('%3fq=1'),
  'percent sign': after('%'),
  'no escape': after('%zz'),
  'not UTF-8': after('%ff'),
  'overlong UTF-8': after('%c0%af'),
  'escape in front': before('/%2e%2e'),
  star: after('/*'),
};

/** Spellings that an HTTP parser rejects, closing the connection. */
export const UNREADABLE: Readonly<Record<string, Spelling>> = {
  space: after(' x'),
  tab: after('\tx'),
  zero: after('\0x'),
  'carriage return': after('\rx'),
  'not ASCII': after('\xc3\xa9'),
  'high byte': after('\xff'),
  'no slash in front': (path) => path.slice(1),
  'backslash in front': (path) => `\\${path.slice(1)}`,
  'one slash after the scheme': before('http:'),
};
