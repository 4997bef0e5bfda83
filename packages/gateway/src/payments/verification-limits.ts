import { Refusal } from '@asset-gateway/protocol';
import { unused } from './responses.ts';

/** Whose payment is verified, and which one it is. */
export interface Verified {
  /** CAIP-2: verifications of one network take no room from those of another. */
  readonly network: string;
  readonly payer: string;
  /** The memo that it was challenged with, or where memos are off its own key: nothing that its client chooses. */
  readonly challenge: string;
  /** What they have paid on mainnet does not make them a known payer. */
  readonly isNewPayer: boolean;
}

/** How many verifications of one network this node has under way at once; payers that are not known share half of them. */
const IN_FLIGHT = { all: 32, ofNewPayers: 16 } as const;
/** So many payments of one payer, or for one challenge, may fail verification in a minute. */
const FAILURES = 3;
const WINDOW_MS = 60_000;

interface UnderWay {
  readonly all: number;
  readonly ofNewPayers: number;
}

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
  /** By network. */
  readonly #underWay = new Map<string, UnderWay>();

  /** Refuses with the payment unused where no verification of it may begin now. */
  assertRoom({ network, payer, challenge, isNewPayer }: Verified, nowMs: number): void {
    const waitMs = Math.max(this.#failures.waitMs(payer, nowMs), this.#failures.waitMs(challenge, nowMs));
    if (waitMs > 0) throw busy('failed verification too often', Math.ceil(waitMs / 1000));
    const { all, ofNewPayers } = this.#underWayOn(network);
    const isFull = all >= IN_FLIGHT.all || (isNewPayer && ofNewPayers >= IN_FLIGHT.ofNewPayers);
    if (isFull) throw busy('too many verifications', 1);
  }

  /** Lets a verification begin, or refuses like the above; what it answers is to be called at its end. */
  enter(verified: Verified, nowMs: number): () => void {
    this.assertRoom(verified, nowMs);
    const change = (by: 1 | -1) => {
      const { all, ofNewPayers } = this.#underWayOn(verified.network);
      const ofNew = verified.isNewPayer ? by : 0;
      this.#underWay.set(verified.network, { all: all + by, ofNewPayers: ofNewPayers + ofNew });
    };
    change(1);
    return () => change(-1);
  }

  #underWayOn(network: string): UnderWay {
    return this.#underWay.get(network) ?? { all: 0, ofNewPayers: 0 };
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
