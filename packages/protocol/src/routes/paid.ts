import type { Cluster } from '../networks.ts';
import type { Provider } from '../providers.ts';
import { ANYTHING, type Route, type RowOptions, type Surface, schemasOf, unchanged, verbAndPath } from '../route.ts';

/** A paid row without its options. */
export interface PaidRow {
  readonly provider: Provider;
  readonly surface: Surface;
  readonly cluster: Cluster;
  readonly method: string;
  readonly endpoint: string;
  readonly description: string;
  /** The provider's units per call: compute units or credits. */
  readonly units: number;
  /** The path at the upstream, if each method has its own. */
  readonly upstreamPath?: string;
}

/** One row behind the payment gate. */
export function paidRow(row: PaidRow, options: RowOptions): Route {
  const { provider, surface, cluster, method, units, description } = row;
  return {
    id: `${surface}.${cluster}.${provider}.${method}`,
    provider,
    surface,
    cluster,
    method,
    ...verbAndPath(row.endpoint),
    access: 'exact',
    description,
    units,
    input: schemasOf(options),
    rules: options.rules ?? [],
    codes: {},
    example: options.example ?? {},
    result: options.result ?? ANYTHING,
    upstream: { path: row.upstreamPath ?? '', forward: options.forward ?? unchanged },
  };
}
