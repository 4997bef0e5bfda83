import { setTimeout as pause } from 'node:timers/promises';
import { type CachedAnswer, entryFor, type FetchPlan, idsOf, type Keyed } from './stored.ts';

/** An entry that some node has fetched, with its time on this node's clock. Where the time is uncertain, the entry counts as older. */
export type SharedEntry = Pick<CachedAnswer, 'fetchedAtMs' | 'json'>;

export interface FoundEntry extends SharedEntry {
  /** A text that changes with every write of the entry. */
  readonly tag: string;
}

/** The result of a request for leases. */
export interface Claim {
  /** The keys for which this node has the lease, because no other node is fetching them. Leases expire by themselves. */
  readonly leased: ReadonlySet<string>;
  /** The entries that may be served and that the owner has not seen, by key id. */
  readonly entries: ReadonlyMap<string, FoundEntry>;
}

/**
 * Stores entries and leases that nodes share. No method rejects. While the store is unavailable, no entry is found, this node gets every
 * lease, and writes are lost.
 */
export interface SharedEntries {
  /** How long a lease lasts if it is not ended, in milliseconds. */
  readonly leaseMs: number;
  /**
   * Reads entries, and takes free leases for a unique owner; without an owner it takes none. `tags`: leaves out the entries with these
   * tags, by key id.
   */
  claim(plans: readonly Keyed[], owner?: string, tags?: ReadonlyMap<string, string>): Promise<Claim>;
  /** Shares entries and ends the owner's leases on them. */
  write(entries: readonly (Keyed & SharedEntry)[], owner: string): Promise<void>;
  /** Ends an owner's leases without sharing an entry. */
  endLeases(plans: readonly Keyed[], owner: string): Promise<void>;
}

/** Options of sharing. */
export interface SharingOptions {
  /** The first secret signs. All secrets verify. */
  readonly secrets: readonly string[];
  /** A text that separates the entries of different upstreams. */
  readonly scope: string;
  /** How long a lease lasts if it is not ended, in milliseconds. It is longer than any call. */
  readonly leaseMs: number;
  /** Returns monotonic milliseconds, on the clock of `ageOf`. */
  readonly now: () => number;
}

/** Opens the shared entries of one upstream. */
export type OpenShared = (options: SharingOptions) => SharedEntries;

/** Shares nothing. A single node uses this. */
export const NOT_SHARED: SharedEntries = {
  leaseMs: 0,
  claim: async (plans) => ({ leased: new Set(idsOf(plans)), entries: new Map() }),
  write: async () => undefined,
  endLeases: async () => undefined,
};

/** Dependencies of a claim. */
interface ClaimDependencies {
  readonly entries: SharedEntries;
  /** A text that is unique among all claims of all nodes. */
  readonly owner: string;
  /** Whether another node's entry makes the call unnecessary. */
  readonly isEnough: (kept: CachedAnswer) => boolean;
}

/** How much two nodes may disagree on an entry's age, in milliseconds, because each estimates the store's clock. */
export const AGE_TOLERANCE_MS = 1_000;
/** How often this node looks for another node's answer. */
const FOLLOW_EACH_MS = 100;
/** How many lease durations this node looks for another node's answer. By then the other node's lease has ended. */
const FOLLOW_LEASES = 2;

/** The keys of a call, divided between nodes. */
export interface Division {
  /** The answers that other nodes have fetched. */
  readonly fetched: readonly CachedAnswer[];
  /** The keys that this node fetches. */
  readonly mine: readonly FetchPlan[];
  /** The keys that another node is fetching. */
  readonly others: readonly FetchPlan[];
}

/** Holds the leases of one call, and the entries that other nodes have fetched for it. */
export class CallClaim {
  readonly #dependencies: ClaimDependencies;
  /** When the first entry that was seen for each key was fetched. A newer entry comes from a later call. */
  readonly #firstFetchedAtMs = new Map<string, number>();
  /** The tags of the entries that were seen but too old, by key id. */
  readonly #tags = new Map<string, string>();

  constructor(dependencies: ClaimDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Divides the keys between this node and others. Divides the others' keys again until each has an answer or its node has lost the lease.
   */
  async *divisions(plans: readonly FetchPlan[], goesOn: () => boolean): AsyncGenerator<Division> {
    const untilMs = performance.now() + FOLLOW_LEASES * this.#dependencies.entries.leaseMs;
    for (let left = plans; ; ) {
      const division = await this.#divide(left);
      yield division;
      left = division.others;
      if (left.length === 0 || !goesOn() || performance.now() >= untilMs) return;
      await pause(FOLLOW_EACH_MS, undefined, { ref: false });
    }
  }

  /** Publishes a call's answers to the other nodes. */
  publish(answered: readonly CachedAnswer[]): void {
    void this.#dependencies.entries.write(answered, this.#dependencies.owner);
  }

  /** Ends the leases of keys without an answer to publish. */
  endLeases(plans: readonly Keyed[]): void {
    void this.#dependencies.entries.endLeases(plans, this.#dependencies.owner);
  }

  async #divide(plans: readonly FetchPlan[]): Promise<Division> {
    const { entries, owner } = this.#dependencies;
    const claim = await entries.claim(plans, owner, this.#tags);
    const found = plans.flatMap((plan) => {
      const entry = claim.entries.get(plan.key.id);
      return entry ? entryFor(plan, entry.fetchedAtMs, entry.json) : [];
    });
    const fetched = found.filter((kept) => this.#isEnough(kept));
    for (const id of idsOf(plans)) this.#remember(id, claim.entries.get(id));
    const ids = new Set(idsOf(fetched));
    const rest = plans.filter(({ key }) => !ids.has(key.id));
    const isMine = ({ key }: Keyed) => claim.leased.has(key.id);
    const unneeded = fetched.filter(isMine);
    if (unneeded.length > 0) this.endLeases(unneeded);
    return { fetched, mine: rest.filter(isMine), others: rest.filter((plan) => !isMine(plan)) };
  }

  #isEnough(kept: CachedAnswer): boolean {
    const first = this.#firstFetchedAtMs.get(kept.key.id);
    return (first !== undefined && kept.fetchedAtMs > first + AGE_TOLERANCE_MS) || this.#dependencies.isEnough(kept);
  }

  #remember(id: string, entry: FoundEntry | undefined): void {
    if (entry) this.#tags.set(id, entry.tag);
    if (!this.#firstFetchedAtMs.has(id)) this.#firstFetchedAtMs.set(id, entry?.fetchedAtMs ?? Number.NEGATIVE_INFINITY);
  }
}
