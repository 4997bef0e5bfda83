export const oneOf = (random, values) => values[Math.floor(random() * values.length)];

const deep = (depth) => JSON.parse(`${'['.repeat(depth)}1${']'.repeat(depth)}`);

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

/** The places of a JSON value, as lists of keys. */
function places(value, path = [], found = []) {
  if (typeof value === 'object' && value !== null && found.length < 400)
    for (const key of Object.keys(value)) {
      found.push([...path, key]);
      places(value[key], [...path, key], found);
    }
  return found;
}

/** Changes one to three values of a JSON value: another value in its place, none, or one more. */
export function mutateValue(random, value) {
  for (let left = 1 + Math.floor(random() * 3); left > 0; left--) {
    const path = oneOf(random, places(value));
    if (!path) return value;
    const holder = path.slice(0, -1).reduce((each, key) => each[key], value);
    const key = path.at(-1);
    const kind = random();
    if (kind < 0.15) delete holder[key];
    else if (kind < 0.25 && Array.isArray(holder))
      holder.push(structuredClone(holder[key]), oneOf(random, REPLACEMENTS)());
    else holder[key] = oneOf(random, REPLACEMENTS)();
  }
  return value;
}

/** Changes the text of JSON: cuts it, joins it to another, or puts bytes into it that are none of its own. */
export function mutateText(random, text) {
  const at = Math.floor(random() * text.length);
  return oneOf(random, [
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
