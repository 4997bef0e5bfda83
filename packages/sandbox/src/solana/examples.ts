import { createMatcher, type Route, routes } from '@asset-gateway/protocol';
import type { Json } from '../chain/json.ts';
import type { Endpoint } from './endpoints.ts';

/** The row's own example: the answer to a route for which there is no other. */
export const exampleOf = ({ result }: Route): Json => result.example as Json;

/** The row of a JSON-RPC method, if any. */
export const rpcRowOf = (
  { provider, cluster }: Pick<Extract<Endpoint, { kind: 'rpc' }>, 'provider' | 'cluster'>,
  method: string,
  rows: readonly Route[] = routes,
): Route | undefined =>
  rows.find((row) => row.method === method && row.provider === provider && row.cluster === cluster);

/** The row of a request to the wallet API, by the segments of its path after the API's base, if any. */
export function walletRowOf(
  { method, segments }: { readonly method: string; readonly segments: readonly string[] },
  rows: readonly Route[] = routes,
): Route | undefined {
  const placed = rows
    .filter(({ surface, httpMethod }) => surface === 'wallet' && httpMethod === method)
    .map((row) => ({ row, httpMethod: row.httpMethod, path: row.upstream.path }));
  const found = createMatcher(placed)(['', 'v1', 'wallet', ...segments.map(encodeURIComponent)].join('/'));
  if (found === undefined || found === 'malformed') return undefined;
  const [match] = found.rows.values();
  return match?.row;
}
