import type { HttpMethod, Route } from './route.ts';

/** The fields of a row that the matcher reads. */
export type PathAndMethod = Pick<Route, 'path' | 'httpMethod'>;

/** The rows of a path by verb, and the path's decoded parameters. */
export interface Match<Row = Route> {
  /** The rows by verb. */
  readonly rows: ReadonlyMap<HttpMethod, Row>;
  /** The path's parameters by name. */
  readonly parameters: Readonly<Record<string, string>>;
}

interface Node<Row> {
  readonly literals: Map<string, Node<Row>>;
  parameter?: Node<Row>;
  /** The parameter names on the way to the rows. */
  names: readonly string[];
  readonly rows: Map<HttpMethod, Row>;
}

const PATH = /^\/[\w\-.~!$&'()*+,;=:@%/]*$/;
const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?:\/|$)/i;

const node = <Row>(): Node<Row> => ({ literals: new Map(), names: [], rows: new Map() });

function childOf<Row>(parent: Node<Row>, segment: string): Node<Row> {
  if (segment.startsWith(':')) {
    parent.parameter ??= node();
    return parent.parameter;
  }
  const child = parent.literals.get(segment) ?? node<Row>();
  parent.literals.set(segment, child);
  return child;
}

const decode = (text: string): string => (text.includes('%') ? decodeURIComponent(text) : text);

/** Whether a raw path is plain: it has no broken escapes and no empty or dot segments. */
function isPlain(path: string): boolean {
  if (!PATH.test(path) || path.includes('//') || DOT_SEGMENT.test(path)) return false;
  try {
    decode(path);
    return true;
  } catch {
    return false;
  }
}

const segmentsOf = (path: string, limit?: number): string[] => path.slice(1).split('/', limit);

function find<Row>(from: Node<Row>, segments: readonly string[], values: string[]): Node<Row> | undefined {
  const [segment, ...rest] = segments;
  if (segment === undefined) return from.rows.size > 0 ? from : undefined;
  const literal = from.literals.get(segment);
  const found = literal && find(literal, rest, values);
  if (found || !from.parameter || segment === '') return found;
  values.push(segment);
  const below = find(from.parameter, rest, values);
  if (!below) values.pop();
  return below;
}

/**
 * Returns the function that finds the rows of a raw, encoded path; gateway and clients use no other matcher. It decodes segments before it
 * compares them, and prefers literals to parameters for every verb. It returns `malformed` for a path that is not plain, and undefined for
 * an unknown one.
 */
export function createMatcher<Row extends PathAndMethod>(
  rows: readonly Row[],
): (path: string) => Match<Row> | 'malformed' | undefined {
  const root = node<Row>();
  for (const row of rows) {
    const segments = segmentsOf(row.path);
    const node = segments.reduce(childOf<Row>, root);
    const names = segments.filter((segment) => segment.startsWith(':')).map((segment) => segment.slice(1));
    if (node.rows.size > 0 && node.names.join() !== names.join())
      throw new TypeError(`${row.path} has other parameter names than another row of this path`);
    node.rows.set(row.httpMethod, row);
    node.names = names;
  }
  // One segment more than any row has, because longer paths are unknown too.
  const limit = 1 + Math.max(0, ...rows.map(({ path }) => segmentsOf(path).length));
  return (path) => {
    if (!isPlain(path)) return 'malformed';
    const values: string[] = [];
    const found = find(root, segmentsOf(path, limit).map(decode), values);
    if (!found) return undefined;
    return {
      rows: found.rows,
      parameters: Object.fromEntries(found.names.map((name, at) => [name, values[at] ?? ''])),
    };
  };
}
