import { setTimeout as pause } from 'node:timers/promises';
import { type CachedAnswer, entryFor, type FetchPlan, idsOf, type Keyed } from './stored.ts';

/** An entry that any node fetched, with its time on this node's clock. Its age is estimated too high rather than too low. */
export type SharedEntry = Pick<CachedAnswer, 'fetchedAtMs' | 'json'>;

export interface FoundEntry extends SharedEntry {
  /** Changes with every write. */
  readonly tag: string;
}

/** The result of a request for leases. */
export interface Claim {
  /** Keys that no other node is fetching. Leases expire by themselves. */
  readonly leased: ReadonlySet<string>;
  /** Servable entries of the keys that the owner has not seen, by key id. */
  readonly entries: ReadonlyMap<string, FoundEntry>;
}

/**
 * Entries and leases that nodes share. No method rejects. While sharing is unavailable, no entry is found, this node has every lease, and
 * writes are lost.
 */
export interface SharedEntries {
  /** How long an unreleased lease lasts, in milliseconds. */
  readonly leaseMs: number;
  /** Takes free leases for a unique owner; takes none without an owner. Leaves out entries that have these tags, by key id. */
  claim(plans: readonly Keyed[], owner?: string, tags?: ReadonlyMap<string, string>): Promise<Claim>;
  /** Shares entries and ends the owner's leases on them. */
  write(entries: readonly (Keyed & SharedEntry)[], owner: string): Promise<void>;
  /** Ends an owner's leases without sharing an entry. */
  giveBack(plans: readonly Keyed[], owner: string): Promise<void>;
}

/** Options of sharing. */
export interface SharingOptions {
  /** The first signs, all verify. */
  readonly secrets: readonly string[];
  /** Separates the entries of different upstreams. */
  readonly scope: string;
  /** How long an unreleased lease lasts, in milliseconds. Longer than any call. */
  readonly leaseMs: number;
  /** Monotonic milliseconds, on the clock of `ageOf`. */
  readonly now: () => number;
}

/** Opens the entries of one upstream. */
export type OpenShared = (options: SharingOptions) => SharedEntries;

/** Shares nothing, for a single node. */
export const NOT_SHARED: SharedEntries = {
  leaseMs: 0,
  claim: async (plans) => ({ leased: new Set(idsOf(plans)), entries: new Map() }),
  write: async () => undefined,
  giveBack: async () => undefined,
};

/** Dependencies of a claim. */
interface ClaimDependencies {
  readonly entries: SharedEntries;
  /** Unique among all claims of all nodes. */
  readonly owner: string;
  /** Whether another node's entry makes the call unnecessary. */
  readonly isEnough: (kept: CachedAnswer) => boolean;
}

/** Two nodes may disagree this much on an entry's age, because each estimates the store's clock. */
export const AGE_TOLERANCE_MS = 1_000;
/** How often this node looks for another node's answer. */
const FOLLOW_EACH_MS = 100;
/** For how many leases it looks. By then the other lease has ended. */
const FOLLOW_LEASES = 2;

/** The keys of a call, divided between nodes. */
export interface Division {
  /** Other nodes have fetched them. */
  readonly fetched: readonly CachedAnswer[];
  /** This node fetches them. */
  readonly mine: readonly FetchPlan[];
  /** Another node is fetching them. */
  readonly others: readonly FetchPlan[];
}

/** The leases of one call, and the entries that it finds. */
export class CallClaim {
  readonly #dependencies: ClaimDependencies;
  /** The fetch time of the first entry seen, by id. A newer entry comes from a later call. */
  readonly #firstFetchedAtMs = new Map<string, number>();
  /** The tags of entries that were seen and not good enough, by id. */
  readonly #tags = new Map<string, string>();

  constructor(dependencies: ClaimDependencies) {
    this.#dependencies = dependencies;
  }

  /** Divides the keys between this node and others. Repeats this for another node's keys until it has answered or lost its lease. */
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
  giveBack(plans: readonly Keyed[]): void {
    void this.#dependencies.entries.giveBack(plans, this.#dependencies.owner);
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
    if (unneeded.length > 0) this.giveBack(unneeded);
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
