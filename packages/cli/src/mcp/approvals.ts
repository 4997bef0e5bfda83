import { randomUUID } from 'node:crypto';
import type { Offer } from '@asset-gateway/client/pay';

const LIFETIME_MS = 600_000;
const MAX_PENDING = 100;

/** A call that the user is asked to pay for. */
export interface ApprovalRequest {
  readonly tool: string;
  readonly input: unknown;
  readonly offer: Offer;
}

const keyOf = (tool: string, input: unknown): string => JSON.stringify([tool, input]);

/** Open questions whether to pay: at most a hundred, each for ten minutes. An answer is valid once, for the same call. */
export class Approvals {
  readonly #pending = new Map<string, { readonly key: string; readonly offer: Offer; readonly until: number }>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Stores a question and returns its id, which cannot be guessed. */
  ask({ tool, input, offer }: ApprovalRequest): string {
    const id = randomUUID();
    this.#pending.set(id, { key: keyOf(tool, input), offer, until: this.#now() + LIFETIME_MS });
    this.#sweep();
    return id;
  }

  /** Takes the offer of a question about this call; undefined if there is none. */
  take(id: unknown, tool: string, input: unknown): Offer | undefined {
    this.#sweep();
    const found = this.#pending.get(String(id));
    this.#pending.delete(String(id));
    return found?.key === keyOf(tool, input) ? found.offer : undefined;
  }

  #sweep(): void {
    for (const [id, { until }] of this.#pending) {
      if (this.#pending.size <= MAX_PENDING && this.#now() < until) return;
      this.#pending.delete(id);
    }
  }
}
