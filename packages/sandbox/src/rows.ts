import { createMatcher, type HttpMethod, type Match, type Route, routes, type Surface } from '@asset-gateway/protocol';

/** A row of the table, with its place in the upstream's API. */
interface UpstreamRow {
  readonly row: Route;
  readonly httpMethod: HttpMethod;
  readonly path: string;
}

/** Finds the rows of a surface by the raw path at their upstream. Does not normalise paths. */
export function upstreamRows(surface: Surface, rows = routes): (path: string) => Match<UpstreamRow> | undefined {
  const placed = rows
    .filter((row) => row.surface === surface)
    .map((row) => ({ row, httpMethod: row.httpMethod, path: row.upstream.path }));
  const match = createMatcher(placed);
  return (path) => {
    const found = match(path);
    return found === 'malformed' ? undefined : found;
  };
}
