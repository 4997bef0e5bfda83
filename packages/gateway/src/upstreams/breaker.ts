import { Refusal } from '@asset-gateway/protocol';
import type { Answer, UpstreamCall } from '../call.ts';
import { type Upstream, UpstreamRefusal } from './upstream.ts';

/** When a breaker opens, and how often it then lets a request through. */
export interface BreakerOptions {
  /** So many failures in a row open it; two calls that were only too slow count as one. */
  readonly failures: number;
  /** While it is open, one request is let through in each span of so many milliseconds. */
  readonly probeMs: number;
  /** Milliseconds of a clock that never steps. */
  readonly now: () => number;
}

/** What fails for fewer wallets or fewer different requests may be the fault of what they ask for. */
const MIN_DIFFERENT = 3;
/** A call that the upstream took and did not answer in time may have asked for too much. */
const TIMEOUT_WEIGHT = 0.5;

const requestOf = ({ route, input }: UpstreamCall): string => JSON.stringify([route.id, input]);

/** Remembers no more than it takes to tell that there are enough. */
const note = (seen: Set<string | undefined>, value: string | undefined): void => {
  if (seen.size < MIN_DIFFERENT) seen.add(value);
};

/**
 * Leaves an upstream alone that keeps failing. Open, it refuses with `upstream_unavailable` before anything is spent,
 * but for one request now and then; the first one that the upstream answers closes it.
 */
export class Breaker implements Upstream {
  readonly #upstream: Upstream;
  readonly #options: BreakerOptions;
  /** Failures in a row, and who has met them with what. */
  #failures = 0;
  readonly #wallets = new Set<string | undefined>();
  readonly #requests = new Set<string | undefined>();
  #nextProbeAt = 0;
  #lastProber: string | undefined;
  /** Whether anybody but the last prober has asked since its probe. */
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
      else if (probeUntil === this.#nextProbeAt) this.#giveBack();
      throw error;
    }
  }

  /**
   * Lets this request through and no other until the time that it answers with, or refuses. Nobody probes twice in a row
   * while others wait: a request that always fails would keep the upstream closed for them.
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

  /** The upstream was never asked: the next request may ask in this one's place. */
  #giveBack(): void {
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
    note(this.#requests, requestOf(call));
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
