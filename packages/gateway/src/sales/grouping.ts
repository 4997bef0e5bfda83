import { NETWORKS } from '@asset-gateway/protocol';
import type { KeptEntry } from '../payments/store/journal.ts';
import { NOTHING, sumOf, type Totals, totalsOf } from './totals.ts';

/** What entries can be grouped by. */
export const GROUPINGS = ['route', 'wallet', 'day', 'cluster'] as const;

export type Grouping = (typeof GROUPINGS)[number];

/** The totals of a group, on one cluster: the dollars of devnet are none. */
export interface Group extends Totals {
  readonly cluster: string;
  /** The route's id, the wallet, the day (UTC), or the cluster once more; empty where that is not known. */
  readonly group: string;
}

const CLUSTERS: ReadonlyMap<string, string> = new Map(
  Object.entries(NETWORKS).map(([cluster, network]) => [network, cluster]),
);

/** The cluster of a network; the network itself where it is none of ours. */
export const clusterOf = ({ network }: Pick<KeptEntry, 'network'>): string => CLUSTERS.get(network) ?? network;

const DAY = 'YYYY-MM-DD'.length;

/** What of an entry decides about its group. */
export type Grouped = Pick<KeptEntry, 'network' | 'route' | 'wallet' | 'atMs'>;

const GROUP_OF: Readonly<Record<Grouping, (entry: Grouped) => string>> = {
  route: ({ route }) => route,
  wallet: ({ wallet }) => wallet,
  day: ({ atMs }) => new Date(atMs).toISOString().slice(0, DAY),
  cluster: clusterOf,
};

/** What a group has brought, with what was bought from credit. */
const volumeOf = ({ settledMicros, spentMicros }: Totals): number => settledMicros + spentMicros;

/** So many of the groups, mainnet's first, and of these those that were sold most. */
export const mostSold = (groups: readonly Group[], count: number): readonly Group[] =>
  groups
    .toSorted((one, other) => ascending(other.cluster, one.cluster) || volumeOf(other) - volumeOf(one))
    .slice(0, count);

const ascending = (one: string, other: string): number => Number(one > other) - Number(one < other);

/** Adds up what is told of it, group by group. */
export class Groups {
  readonly #groupOf: (entry: Grouped) => string;
  readonly #groups = new Map<string, Group>();

  constructor(by: Grouping) {
    this.#groupOf = GROUP_OF[by];
  }

  add(entry: KeptEntry): void {
    this.addTotals(entry, totalsOf(entry));
  }

  addTotals(of: Grouped, totals: Totals): void {
    const [cluster, group] = [clusterOf(of), this.#groupOf(of)];
    const key = `${cluster} ${group}`;
    const before = this.#groups.get(key) ?? { cluster, group, ...NOTHING };
    this.#groups.set(key, { cluster, group, ...sumOf(before, totals) });
  }

  /** Mainnet first, then by group. */
  list(): readonly Group[] {
    return [...this.#groups.values()].sort(
      (one, other) => ascending(other.cluster, one.cluster) || ascending(one.group, other.group),
    );
  }
}
