/** A number from 0 to 1. */
export type Random = () => number;

export const oneOf = <Value>(random: Random, values: readonly Value[]): Value =>
  values[Math.floor(random() * values.length)] as Value;

const deep = (depth: number): unknown => JSON.parse(`${'['.repeat(depth)}1${']'.repeat(depth)}`);

/** What stands in place of a value: other types, sizes, characters, networks, prices and names. */
const REPLACEMENTS = [
  () => null,
  () => true,
  () => -1,
  () => 1e308,
  () => 0.1,
  () => '',
  () => [],
  () => ({}),
  () => [null],
  () => deep(2_000),
  () => 'x'.repeat(400_000),
  () => Array(20_000).fill('x'),
  () => '\u001b[2J\u001b]0;owned\u0007',
  () => 'line one\nline two\r\nok: paid\u2028more',
  () => '\u202eevil\u200b\u{e0041}\u{e0042}\ufeff',
  () => '\ud800',
  () => '__proto__',
  () => 'constructor',
  () => '../../etc/passwd',
  () => 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
  () => 'eip155:1',
  () => '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
  () => '501',
  () => '999999999999',
  () => '0',
  () => '-500',
  () => '1e3',
  () => '0x10',
  () => 'NaN',
  () => 500,
  () => '11111111111111111111111111111111',
  () => '^(a+)+$',
  () => 'DELETE',
  () => 3,
];

/** Values that nest deeper stay as they are. */
const MAX_DEPTH = 20;

/** The places of a JSON value, as lists of keys. */
function places(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null || path.length > MAX_DEPTH) return [];
  return Object.entries(value).flatMap(([key, inner]) => [[...path, key], ...places(inner, [...path, key])]);
}

/** Changes one to three values of a JSON value: another value in its place, none, or one more. */
export function mutateValue(random: Random, given: unknown): unknown {
  const value = structuredClone(given);
  for (let left = 1 + Math.floor(random() * 3); left > 0; left--) {
    const path = oneOf(random, places(value).slice(0, 400));
    if (path) changeAt(random, value, path);
  }
  return value;
}

function changeAt(random: Random, value: unknown, path: readonly string[]): void {
  const holder = path.slice(0, -1).reduce<unknown>((each, key) => Reflect.get(each as object, key), value) as object;
  const key = path.at(-1) ?? '';
  const kind = random();
  if (kind < 0.15) Reflect.deleteProperty(holder, key);
  else if (kind < 0.25 && Array.isArray(holder)) holder.push(oneOf(random, REPLACEMENTS)());
  else Reflect.set(holder, key, oneOf(random, REPLACEMENTS)());
}

/** Changes the text of JSON: cuts it, joins it to another, or puts bytes into it that are none of its own. */
export function mutateText(random: Random, text: string): string | Buffer {
  const at = Math.floor(random() * text.length);
  return oneOf<() => string | Buffer>(random, [
    () => text.slice(0, at),
    () => text + text,
    () => `${text.slice(0, at)}\u0000${text.slice(at)}`,
    () => Buffer.from(text, 'utf16le'),
    () => Buffer.concat([Buffer.from(text.slice(0, at)), Buffer.from([0xff, 0xfe]), Buffer.from(text.slice(at))]),
    () => '',
    () => 'null',
    () => '[]',
    () => '7',
    () => '<html><body>502 Bad Gateway</body></html>',
    () => `{"ok":false,"error":"${'x'.repeat(300_000)}","message":"y"}`,
    () => '{"ok":false,"error":"payment_unknown","message":"Send it again."}',
  ])();
}
