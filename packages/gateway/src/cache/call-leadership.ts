import { Refusal } from '@asset-gateway/protocol';
import type { Share } from '../budget/store.ts';
import type { Spend } from '../call.ts';
import type { Waiter } from './waiters.ts';

/** Refusals of one waiter's own sign-in, which keep nobody else from making the call. */
const OWN = new Set(['invalid_siwx_nonce', 'invalid_siwx_expired']);

export const isOwn = (error: unknown): boolean => error instanceof Refusal && OWN.has(error.code);

/** Nobody who waited may make the call; each of them has been told why. */
export class NoLeader extends Error {}

/** Nothing where slots are not shared out. */
function sharesOf(waiters: readonly Waiter[]): readonly Share[] | undefined {
  const shares = waiters.map(({ share }) => share).filter((share) => share !== undefined);
  return shares.length > 0 ? shares : undefined;
}

/** What tells who takes the slot of a call. */
export interface LeadershipParts {
  /** Those who wait for the call. */
  readonly waiters: () => readonly Waiter[];
  /** Spends for a call that nobody waits for. */
  readonly spendAlone: Spend;
  readonly dismiss: (waiter: Waiter, error: unknown) => void;
}

/** One of those who wait for a call takes its slot, with its own sign-in. */
export class CallLeadership {
  readonly #parts: LeadershipParts;
  #leader: Waiter | undefined;
  #asked: readonly Waiter[] = [];

  constructor(parts: LeadershipParts) {
    this.#parts = parts;
  }

  get leader(): Waiter | undefined {
    return this.#leader;
  }

  /** Those whom the slot was to be charged to when it was last asked for. */
  get asked(): readonly Waiter[] {
    return this.#asked;
  }

  /** Takes a slot for the call, by the first waiter whose sign-in allows it; charged to the one of all whose group holds least. */
  readonly spend: Spend = async (budget) => {
    this.#asked = [...this.#parts.waiters()];
    const shares = sharesOf(this.#asked);
    if (this.#leader) return this.#leader.asker.spend(budget, shares);
    let hasDismissed = false;
    for (const waiter of this.#asked) {
      try {
        const slot = await waiter.asker.spend(budget, shares);
        this.#leader = waiter;
        return slot;
      } catch (error) {
        if (!isOwn(error)) throw error;
        this.#parts.dismiss(waiter, error);
        hasDismissed = true;
      }
    }
    if (hasDismissed) throw new NoLeader();
    return this.#parts.spendAlone(budget);
  };
}
