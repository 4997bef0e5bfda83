import { setTimeout as pause } from 'node:timers/promises';
import type { CacheKey } from './known-key.ts';
import { type KeptText, keptFor, type Plan } from './stored.ts';

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

/** What a claim stands on. */
export interface ClaimParts {
  readonly entries: SharedEntries;
  /** Unknown to every other claim of any node. */
  readonly owner: string;
  /** Whether what another node has fetched will do instead of a call. */
  readonly isEnough: (kept: KeptText) => boolean;
}

/** How the keys of a call are divided between nodes. */
export interface Division {
  /** What others have fetched. */
  readonly taken: readonly KeptText[];
  /** What is this node's to ask for. */
  readonly mine: readonly Plan[];
  /** What another node asks for now. */
  readonly others: readonly Plan[];
}

/** Two nodes can think that one entry is so much older or younger, by what they know of the store's clock. */
export const NOISE_MS = 1_000;
/** So often it is looked whether another node's call has answered, and for so many leases: by then its own has ended. */
const [FOLLOW_EACH_MS, FOLLOW_LEASES] = [100, 2];

/** One call's part in what nodes share: its leases, and what it finds fetched already. */
export class CallClaim {
  readonly #parts: ClaimParts;
  /** When what was there at first had been fetched, by id: what is newer comes from a call that was out meanwhile. */
  readonly #firstFetchedAtMs = new Map<string, number>();
  /** The entries that were seen and would not do, by id. */
  readonly #tags = new Map<string, string>();

  constructor(parts: ClaimParts) {
    this.#parts = parts;
  }

  async divide(plans: readonly Plan[]): Promise<Division> {
    const { entries, owner } = this.#parts;
    const keys = plans.map(({ key }) => key);
    const claim = await entries.claim(keys, owner, this.#tags);
    const found = plans.flatMap((plan) => {
      const entry = claim.entries.get(plan.key.id);
      return entry ? keptFor(plan, entry.fetchedAtMs, entry.json) : [];
    });
    const taken = found.filter((kept) => this.#isEnough(kept));
    for (const { id } of keys) this.#remember(id, claim.entries.get(id));
    const ids = new Set(taken.map(({ key }) => key.id));
    const rest = plans.filter(({ key }) => !ids.has(key.id));
    const unneeded = taken.filter(({ key }) => claim.leased.has(key.id)).map(({ key }) => key);
    if (unneeded.length > 0) void entries.giveBack(unneeded, owner);
    return {
      taken,
      mine: rest.filter(({ key }) => claim.leased.has(key.id)),
      others: rest.filter(({ key }) => !claim.leased.has(key.id)),
    };
  }

  /** Divides again what another node asked for, until that node has answered or lost its lease. */
  async *follow(plans: readonly Plan[], goesOn: () => boolean): AsyncGenerator<Division> {
    const untilMs = performance.now() + FOLLOW_LEASES * this.#parts.entries.leaseMs;
    for (let left = plans; left.length > 0 && goesOn() && performance.now() < untilMs; ) {
      await pause(FOLLOW_EACH_MS, undefined, { ref: false });
      const division = await this.divide(left);
      left = division.others;
      yield division;
    }
  }

  /** Shares what a call has answered. */
  share(answered: readonly KeptText[]): void {
    void this.#parts.entries.write(answered, this.#parts.owner);
  }

  /** The call has answered nothing that could be shared, or was not made. */
  giveBack(plans: readonly Plan[]): void {
    const keys = plans.map(({ key }) => key);
    void this.#parts.entries.giveBack(keys, this.#parts.owner);
  }

  #isEnough(kept: KeptText): boolean {
    const first = this.#firstFetchedAtMs.get(kept.key.id);
    return (first !== undefined && kept.fetchedAtMs > first + NOISE_MS) || this.#parts.isEnough(kept);
  }

  #remember(id: string, entry: FoundEntry | undefined): void {
    if (entry) this.#tags.set(id, entry.tag);
    if (!this.#firstFetchedAtMs.has(id)) this.#firstFetchedAtMs.set(id, entry?.fetchedAtMs ?? Number.NEGATIVE_INFINITY);
  }
}
