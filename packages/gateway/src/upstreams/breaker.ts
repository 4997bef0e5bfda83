import { Refusal } from '@asset-gateway/protocol';
import type { Answer, KeyedCall, Upstream, UpstreamCall } from '../call.ts';
import { type KeyedUpstream, UpstreamRefusal } from './upstream.ts';

/** When a breaker opens, and how often it then probes. */
export interface BreakerOptions {
  /** How many consecutive failures open the breaker. A time-out counts half. */
  readonly failures: number;
  /** How often an open breaker lets one request through, in milliseconds. */
  readonly probeMs: number;
  /** Returns monotonic milliseconds. */
  readonly now: () => number;
}

/**
 * The least number of different wallets, and of different requests, whose failures open the breaker. Fewer may be the requests' own fault.
 */
const MIN_DIFFERENT = 3;
/** A time-out counts half, because the client may have asked for too much. */
const TIMEOUT_WEIGHT = 0.5;

/** Adds a value to a set, up to MIN_DIFFERENT values. */
const note = (seen: Set<string | undefined>, value: string | undefined): void => {
  if (seen.size < MIN_DIFFERENT) seen.add(value);
};

/**
 * A circuit breaker. While it is open, it refuses with `upstream_unavailable` before a slot is taken. From time to time it lets a probe
 * through, and the first answered probe closes it. No library counts by wallet and request, or counts a time-out half.
 */
export class Breaker implements Upstream {
  readonly #upstream: Upstream;
  readonly #options: BreakerOptions;
  /** The consecutive failures, with their wallets and requests. */
  #failures = 0;
  readonly #wallets = new Set<string | undefined>();
  readonly #requests = new Set<string | undefined>();
  #nextProbeAt = 0;
  #lastProber: string | undefined;
  /** Whether another wallet has called since the last probe. */
  #othersWait = false;

  constructor(upstream: Upstream, options: BreakerOptions) {
    this.#upstream = upstream;
    this.#options = options;
  }

  get isOpen(): boolean {
    const isWide = this.#wallets.size >= MIN_DIFFERENT && this.#requests.size >= MIN_DIFFERENT;
    return isWide && this.#failures >= this.#options.failures;
  }

  async answer(call: UpstreamCall): Promise<Answer> {
    const probeUntil = this.isOpen ? this.#admitProbe(call.wallet) : undefined;
    try {
      const answer = await this.#upstream.answer(call);
      this.#close();
      return answer;
    } catch (error) {
      if (error instanceof UpstreamRefusal) this.#count(call, error);
      else if (probeUntil === this.#nextProbeAt) this.#releaseProbe();
      throw error;
    }
  }

  /**
   * Lets this request probe, and sets the time of the next probe; otherwise throws a refusal. While several wallets wait,
   * they alternate, so that one request that always fails cannot keep the breaker open.
   */
  #admitProbe(wallet: string | undefined): number {
    const { now, probeMs } = this.#options;
    const isAgain = wallet !== undefined && wallet === this.#lastProber;
    if (now() < this.#nextProbeAt || (isAgain && this.#othersWait)) {
      this.#othersWait ||= !isAgain;
      const waitMs = Math.max(this.#nextProbeAt - now(), isAgain ? probeMs : 0);
      throw new Refusal('upstream_unavailable', {
        reason: 'breaker open',
        retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
      });
    }
    this.#lastProber = wallet;
    this.#othersWait = false;
    this.#nextProbeAt = now() + probeMs;
    return this.#nextProbeAt;
  }

  /** Lets the next request probe, because this request did not reach the upstream. */
  #releaseProbe(): void {
    this.#nextProbeAt -= this.#options.probeMs;
    this.#lastProber = undefined;
  }

  #count(call: UpstreamCall, { code, ending }: UpstreamRefusal): void {
    if (ending === 'answered') {
      this.#close();
      return;
    }
    const wasOpen = this.isOpen;
    this.#failures += code === 'upstream_timeout' ? TIMEOUT_WEIGHT : 1;
    note(this.#wallets, call.wallet);
    note(this.#requests, JSON.stringify([call.route.id, call.input]));
    if (this.isOpen && !wasOpen) this.#nextProbeAt = this.#options.now() + this.#options.probeMs;
  }

  #close(): void {
    this.#failures = 0;
    this.#wallets.clear();
    this.#requests.clear();
    this.#lastProber = undefined;
    this.#othersWait = false;
  }
}

/**
 * Returns an upstream that sends a GET again if its connection was lost before the answer's first byte, as when the upstream closes a
 * kept-alive connection. The second attempt takes another slot. If no slot is free, the loss is reported. If the second attempt is lost
 * too, the upstream counts as down, and no call is sent again until one is answered.
 */
export function resending(upstream: KeyedUpstream): KeyedUpstream {
  let isDown = false;
  const ask = async (call: KeyedCall): Promise<Answer> => {
    const answer = await upstream.answer(call);
    isDown = false;
    return answer;
  };
  return {
    async answer(call) {
      const isSafe = call.route.httpMethod === 'GET' && !isDown;
      try {
        return await ask(call);
      } catch (error) {
        if (!(error instanceof UpstreamRefusal)) throw error;
        if (error.ending !== 'lost') isDown = false;
        if (error.ending !== 'lost' || !isSafe) throw error;
        const takeSlot = () => call.takeSlot().catch(() => Promise.reject(error));
        return await ask({ ...call, takeSlot }).catch((second) => {
          if (second instanceof UpstreamRefusal && second !== error) isDown = second.ending === 'lost';
          throw second;
        });
      }
    },
  };
}
