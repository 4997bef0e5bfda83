import { Refusal } from '@asset-gateway/protocol';
import { unused } from './responses.ts';

/** The payment that is verified, as far as limits count it. */
export interface Verified {
  /** CAIP-2: each network has limits of its own. */
  readonly network: string;
  readonly payer: string;
  /** The memo of its challenge, or its own key if memos are off: the client can choose neither. */
  readonly challenge: string;
  readonly isNewPayer: boolean;
}

/** The most concurrent verifications of one network on this node; new payers share half of them. */
const IN_FLIGHT = { all: 32, ofNewPayers: 16 } as const;
/** The most failed verifications of one payer, or for one challenge, per minute. */
const FAILURES = 3;
const WINDOW_MS = 60_000;

interface UnderWay {
  readonly all: number;
  readonly ofNewPayers: number;
}

/** Times of failures by payer or challenge. */
class Failures {
  readonly #times = new Map<string, readonly number[]>();

  /** How long until the next attempt; 0 if it may be now. */
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

  /** The map is ordered by the last failure. */
  #forget(nowMs: number): void {
    for (const [name, times] of this.#times) {
      if (nowMs - (times.at(-1) ?? 0) < WINDOW_MS) return;
      this.#times.delete(name);
    }
  }
}

/**
 * Limits on verifications. Anyone can send payments that fail verification, and each costs calls to the chain. Too many are rejected
 * before any call, and repeated failures block a payer or a challenge for a while.
 */
export class VerificationLimits {
  readonly #failures = new Failures();
  /** By network. */
  readonly #underWay = new Map<string, UnderWay>();

  /** Refuses by throwing if no verification may begin now. */
  assertRoom({ network, payer, challenge, isNewPayer }: Verified, nowMs: number): void {
    const waitMs = Math.max(this.#failures.waitMs(payer, nowMs), this.#failures.waitMs(challenge, nowMs));
    if (waitMs > 0) throw busy('failed verification too often', Math.ceil(waitMs / 1000));
    const { all, ofNewPayers } = this.#underWayOn(network);
    const isFull = all >= IN_FLIGHT.all || (isNewPayer && ofNewPayers >= IN_FLIGHT.ofNewPayers);
    if (isFull) throw busy('too many verifications', 1);
  }

  /** Begins a verification, or refuses like `assertRoom`. Call the returned function at its end. */
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

  /** Counts an invalid payment for its challenge. */
  failed({ challenge }: Verified, nowMs: number): void {
    this.#failures.note(challenge, nowMs);
  }

  /** Counts an invalid payment for its payer: no one else can have sent it. */
  failedByPayer({ payer }: Verified, nowMs: number): void {
    this.#failures.note(payer, nowMs);
  }
}

const busy = (reason: string, retryAfterSeconds: number): Refusal =>
  new Refusal('rate_limited', {
    reason,
    retryAfterSeconds,
    payment: unused,
    message: 'Too many payments are being verified, or too many of yours have failed; retry after Retry-After.',
  });
