import type { Cluster } from '../chain/addresses.ts';
import type { Arrival } from './arrivals.ts';

/** The endpoint of a request: JSON-RPC of a provider, or the wallet API. */
export type Endpoint =
  | { readonly kind: 'rpc'; readonly provider: 'helius' | 'alchemy'; readonly cluster: Cluster; readonly key: string }
  | {
      readonly kind: 'wallet';
      readonly segments: readonly string[];
      readonly query: URLSearchParams;
      readonly key: string;
    };

const CLUSTERS: readonly Cluster[] = ['mainnet', 'devnet'];

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** The endpoint of a request, if any. */
export function endpointOf({ target, headers }: Arrival): Endpoint | undefined {
  const [path = '', ...rest] = target.split('?');
  const query = new URLSearchParams(rest.join('?'));
  const header = headers['x-api-key'];
  const key = query.get('api-key') ?? (typeof header === 'string' ? header : '');
  const segments = path.split('/').slice(1).map(decoded);
  if (segments[0] === 'v1' && segments[1] === 'wallet') {
    return { kind: 'wallet', segments: segments.slice(2), query, key };
  }
  const named = CLUSTERS.find((cluster) => cluster === segments[0]);
  const [version, alchemyKey, ...more] = named ? segments.slice(1) : segments;
  if (version === 'v2' && more.length === 0) {
    return { kind: 'rpc', provider: 'alchemy', cluster: named ?? 'mainnet', key: alchemyKey ?? '' };
  }
  const isRoot = named !== undefined && (version === undefined || (version === '' && alchemyKey === undefined));
  return isRoot ? { kind: 'rpc', provider: 'helius', cluster: named, key } : undefined;
}
