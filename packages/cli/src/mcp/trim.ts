import { harmless } from '@asset-gateway/protocol';

/** How much of a value is kept: items of each list, characters of each text, members of each object, levels of nesting. */
interface Measure {
  readonly items: number;
  readonly characters: number;
  readonly members: number;
  readonly depth: number;
}

const EVERYTHING = Number.POSITIVE_INFINITY;
/** JSON can nest deeper than JavaScript can call. */
const DEEPEST = 500;
const DEEP = 32;
/** From everything to hardly anything; the first one that fits is taken. */
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

/** A notice takes fewer bytes than this many parts. */
const LONGEST_NOTICE = 20;

type Member = readonly [name: string, value: unknown];

/** How the parts of a list or an object are cut, counted and measured. */
interface Shape<Part> {
  readonly inside: (part: Part) => Part;
  readonly notice: (text: string) => Part;
  readonly bytes: (parts: readonly Part[]) => number;
}

const countOf = (value: object): number => (Array.isArray(value) ? value.length : Object.keys(value).length);

/** Whether a value nests no deeper than a whole answer may. */
export const isShallow = (value: unknown, levels = DEEPEST): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (levels > 0 && Object.values(value).every((each) => isShallow(each, levels - 1)));

/** The bytes that a value takes as JSON. */
export const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '');

/** The parts of a list or an object that are kept, with a notice in place of the others unless they are shorter than the notice. */
function shortened<Part>(parts: readonly Part[], most: number, shape: Shape<Part>): readonly Part[] {
  const { inside, notice, bytes } = shape;
  const left = parts.length - most;
  if (left <= 0) return parts.map(inside);
  const kept = parts.slice(0, most).map(inside);
  const cutOff = notice(`${left} more of ${parts.length}`);
  const others = left > LONGEST_NOTICE ? [] : parts.slice(most).map(inside);
  return others.length > 0 && bytes(others) <= bytes([cutOff]) ? [...kept, ...others] : [...kept, cutOff];
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
 * As much of a JSON value as fits into this many bytes, without hidden characters: long lists, texts and objects are cut, and each says
 * how much of it is left.
 */
export function trim(value: unknown, maxBytes: number): unknown {
  for (const measure of MEASURES) {
    const trimmed = cut(value, measure, 0);
    if (jsonBytes(trimmed) <= maxBytes) return trimmed;
  }
  // A character takes three bytes at the most, or six if JSON writes it as \u and four digits.
  const text = JSON.stringify(cut(value, MEASURES[1] as Measure, 0));
  return `${harmless(text.slice(0, Math.floor(maxBytes / 12)))}…`;
}
