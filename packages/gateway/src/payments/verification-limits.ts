import { Refusal } from '@asset-gateway/protocol';
import { unused } from './responses.ts';

/** Whose payment is verified, and which one it is. */
export interface Verified {
  readonly payer: string;
  /** The memo that it was challenged with, or where memos are off its own key: nothing that its client chooses. */
  readonly challenge: string;
  /** Nothing of theirs has settled here yet. */
  readonly isNewPayer: boolean;
}

/** How many verifications this node has under way at once; payers that have never settled anything share half of them. */
const IN_FLIGHT = { all: 32, ofNewPayers: 16 } as const;
/** So many payments of one payer, or for one challenge, may fail verification in a minute. */
const FAILURES = 3;
const WINDOW_MS = 60_000;

/** Failures by what they are counted for, in the order of their time. */
class Failures {
  readonly #times = new Map<string, readonly number[]>();

  /** How long until another one may be tried; 0 when it may be now. */
  waitMs(name: string, nowMs: number): number {
    this.#forget(nowMs);
    const [oldest = 0, ...others] = this.#times.get(name) ?? [];
    return others.length + 1 < FAILURES ? 0 : oldest + WINDOW_MS - nowMs;
  }

  note(name: string, nowMs: number): void {
    const times = this.#times.get(name) ?? [];
    this.#times.delete(name);
    this.#times.set(name, [...times, nowMs].slice(-FAILURES));
  }

  /** Whoever has failed last stands last. */
  #forget(nowMs: number): void {
    for (const [name, times] of this.#times) {
      if (nowMs - (times.at(-1) ?? 0) < WINDOW_MS) return;
      this.#times.delete(name);
    }
  }
}

/**
 * What verifying may cost. Anybody can make payments that fail verification, and each costs calls to the chain; so they are
 * shed before anything is asked, and nobody who fails again and again is looked at for a while.
 */
export class VerificationLimits {
  readonly #failures = new Failures();
  #all = 0;
  #ofNewPayers = 0;

  /** Refuses with the payment unused where no verification of it may begin now. */
  assertRoom({ payer, challenge, isNewPayer }: Verified, nowMs: number): void {
    const waitMs = Math.max(this.#failures.waitMs(payer, nowMs), this.#failures.waitMs(challenge, nowMs));
    if (waitMs > 0) throw busy('failed verification too often', Math.ceil(waitMs / 1000));
    const isFull = this.#all >= IN_FLIGHT.all || (isNewPayer && this.#ofNewPayers >= IN_FLIGHT.ofNewPayers);
    if (isFull) throw busy('too many verifications', 1);
  }

  /** Lets a verification begin, or refuses like the above; what it answers is to be called at its end. */
  enter(verified: Verified, nowMs: number): () => void {
    this.assertRoom(verified, nowMs);
    const change = (by: 1 | -1) => {
      this.#all += by;
      if (verified.isNewPayer) this.#ofNewPayers += by;
    };
    change(1);
    return () => change(-1);
  }

  /** A payment for this challenge has failed because of what it is. */
  failed({ challenge }: Verified, nowMs: number): void {
    this.#failures.note(challenge, nowMs);
  }

  /** It was its payer who made it fail: nobody else can have sent it. */
  failedByPayer({ payer }: Verified, nowMs: number): void {
    this.#failures.note(payer, nowMs);
  }
}

const busy = (reason: string, retryAfterSeconds: number): Refusal =>
  new Refusal('rate_limited', {
    reason,
    retryAfterSeconds,
    payment: unused,
    message: 'Too many payments are being checked, or too many of yours have failed; send it again after Retry-After.',
  });
