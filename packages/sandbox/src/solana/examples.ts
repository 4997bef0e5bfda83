import { type Cluster, createMatcher, type Route, routes } from '@asset-gateway/protocol';
import type { Json } from '../chain/json.ts';

/** The row's own example: the answer to a route for which there is no other. */
export const exampleOf = ({ result }: Route): Json => result.example as Json;

/** The row of a JSON-RPC method, if any. */
export const rpcRowOf = (
  { provider, cluster }: { readonly provider: string; readonly cluster: Cluster },
  method: string,
  rows: readonly Route[] = routes,
): Route | undefined =>
  rows.find((row) => row.method === method && row.provider === provider && row.cluster === cluster);

/** The row of a request to the wallet API, if any, and the wallet in its path. */
export function walletRowOf(
  { method, path }: { readonly method: string; readonly path: string },
  rows: readonly Route[] = routes,
): { readonly row: Route; readonly wallet: string } | undefined {
  const placed = rows
    .filter(({ surface, httpMethod }) => surface === 'wallet' && httpMethod === method)
    .map((row) => ({ row, httpMethod: row.httpMethod, path: row.upstream.path }));
  const found = createMatcher(placed)(path);
  if (found === undefined || found === 'malformed') return undefined;
  const [match] = found.rows.values();
  return match && { row: match.row, wallet: found.parameters.wallet ?? '' };
}
