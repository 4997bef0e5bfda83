import { Refusal, type Route } from '@asset-gateway/protocol';
import type { Answer, Input, Spend } from '../call.ts';
import type { Upstream } from './upstream.ts';
import { UpstreamRefusal } from './upstream-refusal.ts';

/** When a breaker opens, and how often it then lets a request through. */
export interface BreakerOptions {
  /** So many failures in a row open it. */
  readonly failures: number;
  /** While it is open, one request is let through in each span of so many milliseconds. */
  readonly probeMs: number;
  /** Milliseconds of a clock that never steps. */
  readonly now: () => number;
}

/**
 * Leaves an upstream alone that keeps failing. Open, it refuses with `upstream_unavailable` before anything is spent,
 * but for one request now and then; the first one that the upstream answers closes it.
 */
export class Breaker implements Upstream {
  readonly #upstream: Upstream;
  readonly #options: BreakerOptions;
  /** In a row, until now. */
  #failures = 0;
  #nextProbeAt = 0;

  constructor(upstream: Upstream, options: BreakerOptions) {
    this.#upstream = upstream;
    this.#options = options;
  }

  get isOpen(): boolean {
    return this.#failures >= this.#options.failures;
  }

  async answer(route: Route, input: Input, spend: Spend): Promise<Answer> {
    const probeUntil = this.isOpen ? this.#admitProbe() : undefined;
    try {
      const answer = await this.#upstream.answer(route, input, spend);
      this.#failures = 0;
      return answer;
    } catch (error) {
      if (error instanceof UpstreamRefusal) this.#count(error);
      else if (probeUntil === this.#nextProbeAt) this.#giveBack();
      throw error;
    }
  }

  /** Lets this request through and no other until the time that it answers with, or refuses. */
  #admitProbe(): number {
    const now = this.#options.now();
    if (now < this.#nextProbeAt) {
      const retryAfterSeconds = Math.ceil((this.#nextProbeAt - now) / 1000);
      throw new Refusal('upstream_unavailable', { reason: 'breaker open', retryAfterSeconds });
    }
    this.#nextProbeAt = now + this.#options.probeMs;
    return this.#nextProbeAt;
  }

  /** The upstream was never asked: the next request may ask in this one's place. */
  #giveBack(): void {
    this.#nextProbeAt -= this.#options.probeMs;
  }

  #count({ ending }: UpstreamRefusal): void {
    const wasOpen = this.isOpen;
    this.#failures = ending === 'answered' ? 0 : this.#failures + 1;
    if (this.isOpen && !wasOpen) this.#nextProbeAt = this.#options.now() + this.#options.probeMs;
  }
}
