import { harmless } from '@asset-gateway/protocol';

/** The limits of a trimmed value: items of a list, characters of a text, members of an object, levels of nesting. */
interface Measure {
  readonly items: number;
  readonly characters: number;
  readonly members: number;
  readonly depth: number;
}

const EVERYTHING = Number.POSITIVE_INFINITY;
/** JSON can nest deeper than JavaScript's call stack. */
const DEEPEST = 500;
const DEEP = 32;
/** From everything to almost nothing. The first limits that fit are used. */
const MEASURES: readonly Measure[] = [
  { items: EVERYTHING, characters: EVERYTHING, members: EVERYTHING, depth: DEEPEST },
  { items: EVERYTHING, characters: 4000, members: EVERYTHING, depth: DEEP },
  { items: 200, characters: 2000, members: 200, depth: DEEP },
  { items: 100, characters: 1000, members: 200, depth: DEEP },
  { items: 50, characters: 500, members: 100, depth: DEEP },
  { items: 25, characters: 300, members: 100, depth: DEEP },
  { items: 12, characters: 200, members: 50, depth: DEEP },
  { items: 6, characters: 120, members: 50, depth: DEEP },
  { items: 3, characters: 100, members: 25, depth: DEEP },
  { items: 1, characters: 80, members: 12, depth: DEEP },
];

/** A notice is shorter than this many parts. */
const LONGEST_NOTICE = 20;

type Member = readonly [name: string, value: unknown];

/** Cuts, replaces and measures the parts of a list or an object. */
interface Shape<Part> {
  readonly inside: (part: Part) => Part;
  readonly notice: (text: string) => Part;
  readonly bytes: (parts: readonly Part[]) => number;
}

const countOf = (value: object): number => (Array.isArray(value) ? value.length : Object.keys(value).length);

/** Whether a value nests at most this deep. */
export const isShallow = (value: unknown, levels = DEEPEST): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (levels > 0 && Object.values(value).every((each) => isShallow(each, levels - 1)));

/** The size of a value as JSON. */
export const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '');

/** The first parts of a list or an object, with a notice for the others unless the notice is longer. */
function shortened<Part>(parts: readonly Part[], most: number, shape: Shape<Part>): readonly Part[] {
  const { inside, notice, bytes } = shape;
  const left = parts.length - most;
  if (left <= 0) return parts.map(inside);
  const shown = parts.slice(0, most).map(inside);
  const cutOff = notice(`${left} more of ${parts.length}`);
  const others = left > LONGEST_NOTICE ? [] : parts.slice(most).map(inside);
  return others.length > 0 && bytes(others) <= bytes([cutOff]) ? [...shown, ...others] : [...shown, cutOff];
}

function cutText(text: string, most: number): string {
  const left = text.length - most;
  const notice = `… ${left} more characters`;
  return left > notice.length ? harmless(text.slice(0, most)) + notice : harmless(text);
}

function cut(value: unknown, measure: Measure, depth: number): unknown {
  if (typeof value === 'string') return cutText(value, measure.characters);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === measure.depth) return `… ${countOf(value)} inside`;
  const inside = (part: unknown): unknown => cut(part, measure, depth + 1);
  if (Array.isArray(value)) {
    return shortened<unknown>(value, measure.items, { inside, notice: (text) => `… ${text}`, bytes: jsonBytes });
  }
  const members = shortened<Member>(Object.entries(value), measure.members, {
    inside: ([name, member]) => [harmless(name), inside(member)],
    notice: (text) => ['…', text],
    bytes: (parts) => jsonBytes(Object.fromEntries(parts)),
  });
  return Object.fromEntries(members);
}

/**
 * A JSON value cut to this many bytes, without hidden characters. Cut lists, texts and objects end with a notice of the omitted rest.
 */
export function trim(value: unknown, maxBytes: number): unknown {
  for (const measure of MEASURES) {
    const trimmed = cut(value, measure, 0);
    if (jsonBytes(trimmed) <= maxBytes) return trimmed;
  }
  // A character takes at most three bytes, or six as \u and four digits in JSON.
  const text = JSON.stringify(cut(value, MEASURES[1] as Measure, 0));
  return `${harmless(text.slice(0, Math.floor(maxBytes / 12)))}…`;
}
