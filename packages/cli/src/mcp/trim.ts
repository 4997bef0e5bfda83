/** How much of a value is kept: items of each list, characters of each text, members of each object. */
interface Measure {
  readonly items: number;
  readonly characters: number;
  readonly members: number;
}

const EVERYTHING = Number.POSITIVE_INFINITY;
/** From all of it to hardly anything; the first that fits is taken. */
const MEASURES: readonly Measure[] = [
  { items: EVERYTHING, characters: EVERYTHING, members: EVERYTHING },
  { items: EVERYTHING, characters: 4000, members: EVERYTHING },
  { items: 200, characters: 2000, members: 200 },
  { items: 100, characters: 1000, members: 200 },
  { items: 50, characters: 500, members: 100 },
  { items: 25, characters: 300, members: 100 },
  { items: 12, characters: 200, members: 50 },
  { items: 6, characters: 120, members: 50 },
  { items: 3, characters: 100, members: 25 },
  { items: 1, characters: 80, members: 12 },
];
const MAX_DEPTH = 32;

const countOf = (value: object): number => (Array.isArray(value) ? value.length : Object.keys(value).length);

function cut(value: unknown, measure: Measure, depth: number): unknown {
  if (typeof value === 'string') {
    const left = value.length - measure.characters;
    return left > 0 ? `${value.slice(0, measure.characters)}… ${left} more characters` : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (depth === MAX_DEPTH) return `… ${countOf(value)} inside`;
  if (Array.isArray(value)) {
    const items = value.slice(0, measure.items).map((item) => cut(item, measure, depth + 1));
    return items.length < value.length ? [...items, `… ${value.length - items.length} more of ${value.length}`] : items;
  }
  const members = Object.entries(value);
  const kept = members.slice(0, measure.members).map(([name, member]) => [name, cut(member, measure, depth + 1)]);
  if (kept.length < members.length) kept.push(['…', `${members.length - kept.length} more of ${members.length}`]);
  return Object.fromEntries(kept);
}

/** The bytes that a value takes as JSON. */
export const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '');

/**
 * As much of a JSON value as fits into so many bytes: long lists, texts and objects are cut, and each says how much of it is left.
 * Answers with the value itself where all of it fits.
 */
export function trim(value: unknown, maxBytes: number): unknown {
  for (const measure of MEASURES) {
    const trimmed = measure.items === EVERYTHING && measure.characters === EVERYTHING ? value : cut(value, measure, 0);
    if (jsonBytes(trimmed) <= maxBytes) return trimmed;
  }
  // A character takes three bytes at the most, or six where JSON writes it as \u and four digits.
  return `${JSON.stringify(value).slice(0, Math.floor(maxBytes / 12))}…`;
}
