import type { CacheKey } from './known-key.ts';

/** What any node has fetched for a key. */
export interface SharedEntry {
  /** When its call went out, by this node's clock; rather too early than too late. */
  readonly fetchedAtMs: number;
  /** The upstream's JSON text. */
  readonly json: string;
}

/** One that was found. */
export interface FoundEntry extends SharedEntry {
  /** Another one with every entry that is written. */
  readonly tag: string;
}

/** Entries by the id of their key. */
export type EntriesById = ReadonlyMap<string, FoundEntry>;

/** What was found when leases were asked for. */
export interface Claim {
  /** The keys that no other node asks the upstream for now. Leases end by themselves when their holder does not end them. */
  readonly leased: ReadonlySet<string>;
  /** What is kept of any of the keys, young enough to be served, and not known yet. */
  readonly entries: EntriesById;
}

/** An entry with what it is kept under. */
export interface KeyedEntry extends SharedEntry {
  readonly key: CacheKey;
}

/**
 * What nodes share of what they have fetched, and who of them fetches what. Nothing here rejects: where nothing is shared at the
 * moment, nothing is found, each key is this node's to ask for, and what is told is lost.
 */
export interface SharedEntries {
  read(keys: readonly CacheKey[]): Promise<EntriesById>;
  /** For how long a lease is held that nobody ends, in milliseconds. */
  readonly leaseMs: number;
  /** Takes the leases that are free, for an owner that nobody else is. Entries of these tags, by the id of their key, are not told. */
  claim(keys: readonly CacheKey[], owner: string, tags?: ReadonlyMap<string, string>): Promise<Claim>;
  /** Shares what was fetched, and ends the owner's leases of it. */
  write(entries: readonly KeyedEntry[], owner: string): Promise<void>;
  /** Ends leases of an owner who has nothing to share. */
  giveBack(keys: readonly CacheKey[], owner: string): Promise<void>;
}

/** What entries are shared with. */
export interface SharingOptions {
  /** The first signs, all verify. */
  readonly secrets: readonly string[];
  /** What all entries belong to: those of another upstream are other entries. */
  readonly scope: string;
  /** For how long a lease is held that nobody ends, in milliseconds: longer than any call. */
  readonly leaseMs: number;
  /** Milliseconds of the clock that ages are asked with. */
  readonly now: () => number;
}

/** Opens the entries of one upstream. */
export type OpenShared = (options: SharingOptions) => SharedEntries;

/** Of one node, which shares with nobody. */
export const ALONE: SharedEntries = {
  leaseMs: 0,
  read: async () => new Map(),
  claim: async (keys) => ({ leased: new Set(keys.map(({ id }) => id)), entries: new Map() }),
  write: async () => undefined,
  giveBack: async () => undefined,
};
