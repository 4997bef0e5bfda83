import type { Values } from '@asset-gateway/protocol';

/** One path segment of a document: plain text, a parameter, or text around parameters as in `{id}.json`. */
interface Node {
  readonly literals: Map<string, Node>;
  /** By segment. */
  readonly mixed: Map<string, MixedNode>;
  parameter?: Node;
  path?: string;
}

/** A node with the text around the parameters of its segment. */
interface MixedNode extends Node {
  readonly texts: readonly string[];
}

const newNode = (): Node => ({ literals: new Map(), mixed: new Map() });

/** Replaces each letter outside ASCII by its code. */
export const inAscii = (text: string): string =>
  text.replace(/\P{ASCII}/gu, (letter) => `u${letter.codePointAt(0)?.toString(16)}`);

/** The name of a path parameter in a row. */
export const parameterName = (name: string): string => inAscii(name).replace(/\W/g, '_');

/** Splits a path: texts at even places, parameter names at odd places. */
export function partsOf(text: string): string[] {
  const [first = '', ...rest] = text.split('{');
  const inBraces = (part: string) => {
    const [name = '', ...after] = part.split('}');
    return [name, after.join('}')];
  };
  return [first, ...rest.flatMap(inBraces)];
}

export const isText = (_: unknown, at: number): boolean => at % 2 === 0;

const shapeOf = (path: string): string =>
  segmentsOf(path)
    .map((each) => textsOf(each).join('{}'))
    .join('/')
    .toLowerCase();

/** The text around the parameters of a segment. */
const textsOf = (segment: string): string[] => partsOf(segment).filter(isText);

/** Servers may ignore a query, a fragment and a trailing slash. */
const segmentsOf = (path: string): string[] =>
  (path.split(/[?#]/, 1)[0] ?? '').split('/').filter((text) => text !== '');

function childOf(parent: Node, segment: string): Node {
  if (textsOf(segment).join('') === '') {
    parent.parameter ??= newNode();
    return parent.parameter;
  }
  const text = segment.toLowerCase();
  const { literals, mixed } = parent;
  if (segment.includes('{')) {
    const child = mixed.get(text) ?? { ...newNode(), texts: textsOf(text) };
    mixed.set(text, child);
    return child;
  }
  const child = literals.get(text) ?? newNode();
  literals.set(text, child);
  return child;
}

/** Whether a text matches a mixed segment: all its parts, in order. */
function fits(text: string, { texts: parts }: MixedNode): boolean {
  const [first = '', last = ''] = [parts[0], parts.at(-1)];
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  let from = first.length;
  for (const part of parts.slice(1, -1)) {
    const at = text.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return from <= text.length - last.length;
}

const ESCAPE = /%([0-9a-f]{2})/gi;
const ESCAPED_AGAIN = /%(?:25)+/g;
const decode = (text: string): string =>
  text.replace(ESCAPE, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

const AFTER_SEGMENT = /[/\\;?#\p{Cc}]/u;
const FORMAT = /\.(?:json|xml|html?|csv|txt|js|ya?ml)$/;

/** The segments that a server may read in a text. Some servers decode twice, ignore case, or cut off a format or the text after `;`. */
function readingsOf(value: string): ReadonlySet<string> {
  const text = decode(decode(value.replace(ESCAPED_AGAIN, '%'))).toLowerCase();
  const segment = (text.split(AFTER_SEGMENT, 1)[0] ?? '').trim();
  const end = segment.endsWith('.') ? segment.slice(0, -1) : segment;
  const verb = segment.split(':', 2).join(':');
  return new Set([text, segment, end, verb, segment.replace(FORMAT, '')]);
}

/** Whether values may turn one template segment into the other. */
function mayMeet(texts: readonly string[], others: readonly string[]): boolean {
  const [first = '', last = ''] = [texts[0], texts.at(-1)];
  const [otherFirst = '', otherLast = ''] = [others[0], others.at(-1)];
  const isVerb = [texts, others].every((each) => each.some((text) => text.includes(':')));
  const isSameStart = first.startsWith(otherFirst) || otherFirst.startsWith(first);
  return isVerb || (isSameStart && (last.endsWith(otherLast) || otherLast.endsWith(last)));
}

/** A template segment with the texts that a server may read for it; undefined if every text is possible. */
interface Segment {
  /** The text around its parameters. */
  readonly texts: readonly string[];
  readonly isParameter: boolean;
  readonly readings: () => ReadonlySet<string> | undefined;
}

/** Computed when first read, because most paths end before. */
function parameterSegment(text: string, value: string | undefined): Segment {
  let readings: ReadonlySet<string> | undefined;
  const read = () => {
    if (value !== undefined) readings ??= readingsOf(value);
    return readings;
  };
  return { texts: value === undefined ? textsOf(text.toLowerCase()) : [], isParameter: true, readings: read };
}

/** The segments that a path segment becomes with these values. A value with slashes gives several. */
function readSegment(text: string, values: Values | undefined, slashed: readonly string[]): Segment[] {
  if (!text.includes('{'))
    return [{ texts: [text], isParameter: false, readings: () => new Set([text.toLowerCase()]) }];
  if (!values) return [parameterSegment(text, undefined)];
  const parts = partsOf(text).map((part, at) => (isText(part, at) ? part : parameterName(part)));
  const filled = parts.map((part, at) => (isText(part, at) ? part : String(values[part]))).join('');
  const all = parts.some((part) => slashed.includes(part)) ? filled.split('/') : [filled];
  return all.map((part) => parameterSegment(text, part));
}

function* nextOf(node: Node, segment: Segment): Generator<readonly [Node, isConcrete: boolean]> {
  const { texts } = segment;
  const readings = segment.readings();
  if (node.parameter) yield [node.parameter, false];
  for (const child of node.mixed.values()) {
    if (readings ? [...readings].some((reading) => fits(reading, child)) : mayMeet(texts, child.texts))
      yield [child, true];
  }
  for (const literal of readings ?? node.literals.keys()) {
    const child = node.literals.get(literal);
    if (child && (readings || mayMeet(texts, [literal]))) yield [child, true];
  }
}

/** A node of the tree of paths, and whether a parameter was read as fixed text on the way to it. */
interface Place {
  readonly node: Node;
  readonly at: number;
  readonly isOther: boolean;
}

/** The paths that these segments reach by reading a parameter as fixed text. Visits each node at most once. */
function* pathsFrom(segments: readonly Segment[], { node, at, isOther }: Place): Generator<string> {
  const segment = segments[at];
  if (!segment) {
    if (isOther && node.path !== undefined) yield node.path;
    return;
  }
  for (const [child, isConcrete] of nextOf(node, segment)) {
    yield* pathsFrom(segments, { node: child, at: at + 1, isOther: isOther || (isConcrete && segment.isParameter) });
  }
}

/** All paths of a document. Finds the paths that another path becomes with certain values. */
export class Paths {
  readonly #root = newNode();

  constructor(paths: Iterable<string>) {
    for (const path of paths) segmentsOf(path).reduce(childOf, this.#root).path ??= path;
  }

  /**
   * The more concrete paths that a path becomes with values, such as `/coins/markets` from `/coins/{id}`. Without values, those for any
   * values. A value with slashes may become any other path.
   */
  *othersFor(path: string, values?: Values, slashed: readonly string[] = []): Generator<string> {
    const own = segmentsOf(path);
    const segments = own.flatMap((text) => readSegment(text, values, slashed));
    const start = { node: this.#root, at: 0, isOther: segments.length > own.length };
    for (const found of pathsFrom(segments, start)) if (shapeOf(found) !== shapeOf(path)) yield found;
  }
}
