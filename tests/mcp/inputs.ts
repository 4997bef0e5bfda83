import { positionalParameters, type Route, routes } from '@asset-gateway/protocol';

/** The mainnet row of a method's tool. */
export function rowOf(tool: string): Route {
  const row = routes.findLast(
    ({ id, surface, cluster = 'mainnet' }) =>
      cluster === 'mainnet' && tool === `${surface}_${id.slice(id.lastIndexOf('.') + 1)}`,
  );
  if (!row) throw new Error(`no row for ${tool}`);
  return row;
}

/** The example of a row as a tool's input. */
export function inputOf(row: Route): Record<string, unknown> {
  const { path = {}, query, body } = row.example;
  const params = body?.params;
  const names = positionalParameters(row)?.map(({ name }) => name);
  if (names && Array.isArray(params)) return Object.fromEntries(params.map((value, at) => [names[at], value]));
  return { ...path, ...query, ...((params as object | undefined) ?? body) };
}
