import type { Values } from '@asset-gateway/protocol';
import { PathIndex } from './path-index.ts';
import { fits, isText, parameterName, segmentsOf, shapeOf, splitTemplate, textsOf } from './path-texts.ts';

/** One path segment of a document: plain text, a parameter, or text around parameters as in `{id}.json`. */
interface Node {
  readonly literals: Map<string, Node>;
  /** The children with text around parameters, by segment. */
  readonly mixed: Map<string, MixedNode>;
  parameter?: Node;
  path?: string;
}

/** A node with the text around the parameters of its segment. */
interface MixedNode extends Node {
  readonly texts: readonly string[];
}

const newNode = (): Node => ({ literals: new Map(), mixed: new Map() });

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

const ESCAPE = /%([0-9a-f]{2})/gi;
const ESCAPED_AGAIN = /%(?:25)+/g;
const decode = (text: string): string =>
  text.replace(ESCAPE, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

const AFTER_SEGMENT = /[/\\;?#\p{Cc}]/u;
const FORMAT = /\.(?:json|xml|html?|csv|txt|js|ya?ml)$/;

/**
 * Returns the segments that a server may read in a text. Some servers decode twice, ignore case, or cut off a format or the text after `;`.
 */
function readingsOf(value: string): ReadonlySet<string> {
  const text = decode(decode(value.replace(ESCAPED_AGAIN, '%'))).toLowerCase();
  const segment = (text.split(AFTER_SEGMENT, 1)[0] ?? '').trim();
  const end = segment.endsWith('.') ? segment.slice(0, -1) : segment;
  const verb = segment.split(':', 2).join(':');
  return new Set([text, segment, end, verb, segment.replace(FORMAT, '')]);
}

/** A segment of a path with values. */
interface Segment {
  readonly isParameter: boolean;
  /** Returns the texts that a server may read for the segment. */
  readonly readings: () => ReadonlySet<string>;
}

/** Makes the segment of a parameter. Its readings are computed when they are first read, because most paths end before. */
function parameterSegment(value: string): Segment {
  let readings: ReadonlySet<string> | undefined;
  const read = () => {
    readings ??= readingsOf(value);
    return readings;
  };
  return { isParameter: true, readings: read };
}

/** Returns the segments that a path segment becomes with these values. A value with slashes gives several. */
function readSegment(text: string, values: Values, slashed: readonly string[]): Segment[] {
  if (!text.includes('{')) return [{ isParameter: false, readings: () => new Set([text.toLowerCase()]) }];
  const parts = splitTemplate(text).map((part, at) => (isText(part, at) ? part : parameterName(part)));
  const filled = parts.map((part, at) => (isText(part, at) ? part : String(values[part]))).join('');
  return (parts.some((part) => slashed.includes(part)) ? filled.split('/') : [filled]).map(parameterSegment);
}

function* nextOf(node: Node, segment: Segment): Generator<readonly [Node, isConcrete: boolean]> {
  const readings = segment.readings();
  if (node.parameter) yield [node.parameter, false];
  for (const child of node.mixed.values()) {
    if ([...readings].some((reading) => fits(reading, child.texts))) yield [child, true];
  }
  for (const literal of readings) {
    const child = node.literals.get(literal);
    if (child) yield [child, true];
  }
}

/** A node of the tree of paths, and whether a parameter was read as fixed text on the way to it. */
interface Place {
  readonly node: Node;
  readonly at: number;
  readonly isOther: boolean;
}

/** Returns the paths that these segments reach if a server reads a parameter's value as fixed text. Visits each node at most once. */
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

const MOST_COMPARISONS = 50;

/** Returns the paths that differ in more than the names of parameters. */
function* differing(path: string, others: Iterable<string>): Generator<string> {
  const shape = shapeOf(path);
  for (const other of others) if (shapeOf(other) !== shape) yield other;
}

/** All paths of a document. It finds the paths that another path becomes with certain values. */
export class Paths {
  readonly #root = newNode();
  readonly #index: PathIndex;

  constructor(paths: Iterable<string>) {
    const all = [...paths];
    for (const path of all) segmentsOf(path).reduce(childOf, this.#root).path ??= path;
    this.#index = new PathIndex(all);
  }

  /**
   * Returns the more concrete paths that a path becomes with these values, such as `/coins/markets` from `/coins/{id}`. Without values,
   * returns those for any values. A value with slashes may become any other path.
   */
  *othersFor(path: string, values?: Values, slashed: readonly string[] = []): Generator<string> {
    yield* differing(path, values ? this.#valuesOf(path, values, slashed) : this.#index.othersOf(path));
  }

  /** Returns whether some values may lead to another path: true if this takes long, because `othersFor` judges each request's values. */
  mayLeadElsewhere(path: string): boolean {
    return !differing(path, this.#index.othersOf(path, MOST_COMPARISONS)).next().done;
  }

  #valuesOf(path: string, values: Values, slashed: readonly string[]): Generator<string> {
    const own = segmentsOf(path);
    const segments = own.flatMap((text) => readSegment(text, values, slashed));
    return pathsFrom(segments, { node: this.#root, at: 0, isOther: segments.length > own.length });
  }
}
