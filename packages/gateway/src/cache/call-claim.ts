import { setTimeout as pause } from 'node:timers/promises';
import { type KeptText, keptFor, type Plan } from './plan.ts';
import type { FoundEntry, SharedEntries } from './shared-entries.ts';

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
