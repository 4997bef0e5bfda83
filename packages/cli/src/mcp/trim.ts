import { harmless } from '@asset-gateway/protocol';

/** Limits of a trimmed value: a list's items, a text's characters, an object's members, levels of nesting. */
type Measure = Readonly<Record<'items' | 'characters' | 'members' | 'depth', number>>;

const EVERYTHING = Number.POSITIVE_INFINITY;
/** The deepest JSON that is read. JSON can nest deeper than JavaScript's call stack. */
export const DEEPEST = 500;
const DEEP = 32;
/** Limits from the largest to the smallest. The first that make the value fit are used. */
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

/** A notice takes less room than this many parts. */
const LONGEST_NOTICE = 20;

type Member = readonly [name: string, value: unknown];

/** Returns the size of a value as JSON. */
export const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '');

/** Returns the first parts of a list or object. A notice replaces the others, unless the notice is longer than they are. */
function shortened(value: object, most: number, inside: (part: unknown) => unknown): object {
  const isList = Array.isArray(value);
  const parts: readonly unknown[] = isList ? value : Object.entries(value);
  const of = (some: readonly unknown[]): object => (isList ? some : Object.fromEntries(some as readonly Member[]));
  const cutIn = (part: unknown): unknown => {
    if (isList) return inside(part);
    const [name, member] = part as Member;
    return [harmless(name), inside(member)];
  };
  const left = parts.length - most;
  if (left <= 0) return of(parts.map(cutIn));
  const omitted = `${left} more of ${parts.length}`;
  const notice = isList ? `… ${omitted}` : ['…', omitted];
  const others = left > LONGEST_NOTICE ? [] : parts.slice(most).map(cutIn);
  const isShort = others.length > 0 && jsonBytes(of(others)) <= jsonBytes(of([notice]));
  return of([...parts.slice(0, most).map(cutIn), ...(isShort ? others : [notice])]);
}

function cutText(text: string, most: number): string {
  const left = text.length - most;
  const notice = `… ${left} more characters`;
  return left > notice.length ? harmless(text.slice(0, most)) + notice : harmless(text);
}

function cut(value: unknown, measure: Measure, depth: number): unknown {
  if (typeof value === 'string') return cutText(value, measure.characters);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === measure.depth) return `… ${Object.keys(value).length} inside`;
  const most = Array.isArray(value) ? measure.items : measure.members;
  return shortened(value, most, (part) => cut(part, measure, depth + 1));
}

/** Cuts a JSON value to this many bytes, without hidden characters. A cut list, text or object ends with a notice of the omitted rest. */
export function trim(value: unknown, maxBytes: number): unknown {
  for (const measure of MEASURES) {
    const trimmed = cut(value, measure, 0);
    if (jsonBytes(trimmed) <= maxBytes) return trimmed;
  }
  // A character takes at most three bytes, or six as \u and four digits in JSON.
  const text = JSON.stringify(cut(value, MEASURES[1] as Measure, 0));
  return `${harmless(text.slice(0, Math.floor(maxBytes / 12)))}…`;
}
