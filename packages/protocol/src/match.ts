import type { HttpMethod, Route } from './route.ts';

/** What a path leads to: the rows that share it, by verb, and its decoded path parameters. */
export interface Match {
  readonly rows: ReadonlyMap<HttpMethod, Route>;
  readonly parameters: Readonly<Record<string, string>>;
}

interface Node {
  readonly literals: Map<string, Node>;
  parameter?: { readonly name: string; readonly node: Node };
  readonly rows: Map<HttpMethod, Route>;
}

const PATH = /^(?:\/[\w\-.~!$&'()*+,;=:@%]*)+$/;

const node = (): Node => ({ literals: new Map(), rows: new Map() });

function childOf(parent: Node, segment: string): Node {
  if (segment.startsWith(':')) {
    parent.parameter ??= { name: segment.slice(1), node: node() };
    return parent.parameter.node;
  }
  const child = parent.literals.get(segment) ?? node();
  parent.literals.set(segment, child);
  return child;
}

/** The decoded segments of a raw path, or nothing when it is not a plain path: a broken escape, an empty or a dot segment. */
function segmentsOf(path: string): string[] | undefined {
  if (!PATH.test(path) || path.includes('//')) return undefined;
  try {
    const segments = path.slice(1).split('/').map(decodeURIComponent);
    return segments.includes('.') || segments.includes('..') ? undefined : segments;
  } catch {
    return undefined;
  }
}

function find(from: Node, segments: readonly string[], parameters: Record<string, string>): Node | undefined {
  const [segment, ...rest] = segments;
  if (segment === undefined) return from.rows.size > 0 ? from : undefined;
  const literal = from.literals.get(segment);
  const found = literal && find(literal, rest, parameters);
  if (found || !from.parameter || segment === '') return found;
  parameters[from.parameter.name] = segment;
  return find(from.parameter.node, rest, parameters);
}

/**
 * The one matcher: from a raw, still encoded path to the rows behind it.
 * Segments are decoded before they are compared, so an encoded literal is that literal, and literals win over
 * parameters for every verb. Answers `malformed` for what is no plain path, nothing for an unknown one.
 */
export function createMatcher(routes: readonly Route[]): (path: string) => Match | 'malformed' | undefined {
  const root = node();
  for (const route of routes) {
    route.path.slice(1).split('/').reduce(childOf, root).rows.set(route.httpMethod, route);
  }
  return (path) => {
    const segments = segmentsOf(path);
    if (!segments) return 'malformed';
    const parameters: Record<string, string> = {};
    const found = find(root, segments, parameters);
    return found && { rows: found.rows, parameters };
  };
}
