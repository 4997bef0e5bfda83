import { Refusal } from '@asset-gateway/protocol';
import type { Spend } from '../call.ts';
import type { KeptAnswer } from './kept-answer.ts';

/** What a request that waited was given. */
export interface Served {
  readonly kept: KeptAnswer;
  /** The call was made for another request. */
  readonly isCollapsed: boolean;
}

/** One request that waits until a call answers it. */
export interface Waiter {
  readonly wallet: string | undefined;
  /** It wants a newer answer than the one that is kept. */
  readonly refusesCached: boolean;
  /** Takes the slot of a call, and burns the waiter's own sign-in with it. */
  readonly spend: Spend;
  /** When it gives up, unless a call is out. */
  readonly untilMs: number;
  readonly resolve: (served: Served) => void;
  readonly reject: (error: unknown) => void;
}

/** Refusals of one waiter's own sign-in, which keep nobody else from making the call. */
const OWN = new Set(['invalid_siwx_nonce', 'invalid_siwx_expired']);

const isOwn = (error: unknown): boolean => error instanceof Refusal && OWN.has(error.code);

/** Those who wait for the keys of one call, of whom one takes its slot. */
export class CallLeadership {
  readonly #waiters: () => Iterable<Waiter>;
  readonly #alone: Spend;
  readonly #dismiss: (waiter: Waiter, error: unknown) => void;
  #leader: Waiter | undefined;

  /** `alone` spends for a call that nobody waits for; `dismiss` refuses one waiter. */
  constructor(waiters: () => Iterable<Waiter>, alone: Spend, dismiss: (waiter: Waiter, error: unknown) => void) {
    this.#waiters = waiters;
    this.#alone = alone;
    this.#dismiss = dismiss;
  }

  get leader(): Waiter | undefined {
    return this.#leader;
  }

  /** Takes a slot for the call, by the first waiter whose sign-in allows it. */
  readonly spend: Spend = async () => {
    if (this.#leader) return this.#leader.spend();
    let refusal: unknown;
    for (const waiter of [...this.#waiters()]) {
      try {
        const slot = await waiter.spend();
        this.#leader = waiter;
        return slot;
      } catch (error) {
        if (!isOwn(error)) throw error;
        this.#dismiss(waiter, error);
        refusal = error;
      }
    }
    if (refusal) throw refusal;
    return this.#alone();
  };
}
