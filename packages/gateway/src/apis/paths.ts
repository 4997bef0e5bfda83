import type { Values } from '@asset-gateway/protocol';

/** A segment of a path in a document: plain text, one parameter, or text around parameters as in `{id}.json`. */
interface Node {
  readonly literals: Map<string, Node>;
  readonly mixed: Map<string, Node>;
  parameter?: Node;
  path?: string;
}

const newNode = (): Node => ({ literals: new Map(), mixed: new Map() });

/** The name of a path's parameter in a row. */
export const parameterName = (name: string): string => name.replace(/\W/g, '_');

const PARAMETER = /^\{([^{}]*)\}$/;

/** The text around the parameters of a segment. */
function textsOf(segment: string): string[] {
  const [first = '', ...rest] = segment.split('{');
  return [first, ...rest.map((part) => part.slice(part.indexOf('}') + 1))];
}

/** Servers may ignore a query, a fragment and a last slash. */
const segmentsOf = (path: string): string[] =>
  (path.split(/[?#]/, 1)[0] ?? '').split('/').filter((text) => text !== '');

function childOf(parent: Node, segment: string): Node {
  if (textsOf(segment).join('') === '') {
    parent.parameter ??= newNode();
    return parent.parameter;
  }
  const children = segment.includes('{') ? parent.mixed : parent.literals;
  const text = segment.toLowerCase();
  const child = children.get(text) ?? newNode();
  children.set(text, child);
  return child;
}

/** Whether a text has the parts of a mixed segment in their order. */
function fits(text: string, mixed: string): boolean {
  const parts = textsOf(mixed);
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

/** The segments that servers may read in a value: some decode twice, ignore case, or cut off what follows a `;` or the format. */
function readingsOf(value: unknown): ReadonlySet<string> {
  const text = decode(decode(String(value).replace(ESCAPED_AGAIN, '%'))).toLowerCase();
  const segment = (text.split(AFTER_SEGMENT, 1)[0] ?? '').trim();
  const end = segment.endsWith('.') ? segment.slice(0, -1) : segment;
  return new Set([text, segment, end, segment.replace(FORMAT, '')]);
}

/** What a segment of a template may be read as: its text, or its parameter's values; undefined for every value. */
interface Segment {
  readonly isParameter: boolean;
  readonly readings: ReadonlySet<string> | undefined;
}

function* nextOf(node: Node, { readings }: Segment): Generator<readonly [Node, isConcrete: boolean]> {
  if (node.parameter) yield [node.parameter, false];
  for (const [text, child] of node.mixed) {
    if (!readings || [...readings].some((reading) => fits(reading, text))) yield [child, true];
  }
  for (const text of readings ?? node.literals.keys()) {
    const child = node.literals.get(text);
    if (child) yield [child, true];
  }
}

/** The paths that these segments lead to, if a parameter is read as text of the path. Visits each node at most once. */
function* pathsFrom(node: Node, [segment, ...rest]: readonly Segment[], isOther = false): Generator<string> {
  if (!segment) {
    if (isOther && node.path !== undefined) yield node.path;
    return;
  }
  for (const [child, isConcrete] of nextOf(node, segment)) {
    yield* pathsFrom(child, rest, isOther || (isConcrete && segment.isParameter));
  }
}

/** All paths of a document, to find those that the values of another path lead to. */
export class Paths {
  readonly #root = newNode();

  constructor(paths: Iterable<string>) {
    for (const path of paths) segmentsOf(path).reduce(childOf, this.#root).path ??= path;
  }

  /**
   * The more concrete paths that values turn a path into: `/coins/markets` for `/coins/{id}`. Without values, those that any values
   * turn it into.
   */
  othersFor(path: string, values?: Values): Generator<string> {
    const segments = segmentsOf(path).map((text): Segment => {
      const [, name] = PARAMETER.exec(text) ?? [];
      if (name === undefined) return { isParameter: false, readings: new Set([text.toLowerCase()]) };
      return { isParameter: true, readings: values && readingsOf(values[parameterName(name)]) };
    });
    return pathsFrom(this.#root, segments);
  }
}
