import { randomUUID } from 'node:crypto';
import type { Offer } from '@asset-gateway/client/pay';

const LIFETIME_MS = 600_000;
const MAX_PENDING = 100;

/** What somebody is asked to pay for. */
export interface ApprovalRequest {
  readonly tool: string;
  readonly input: unknown;
  readonly offer: Offer;
}

const keyOf = (tool: string, input: unknown): string => JSON.stringify([tool, input]);

/**
 * Questions whether to pay, until they are answered: each for ten minutes, a hundred at the most. An answer is good once, and for the
 * call that was asked about.
 */
export class Approvals {
  readonly #pending = new Map<string, { readonly key: string; readonly offer: Offer; readonly until: number }>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Notes a question; answers with its name, which nobody can guess. */
  ask({ tool, input, offer }: ApprovalRequest): string {
    const name = randomUUID();
    this.#pending.set(name, { key: keyOf(tool, input), offer, until: this.#now() + LIFETIME_MS });
    this.#sweep();
    return name;
  }

  /** The offer that was agreed to, once; nothing where no such question was asked about this call. */
  take(name: unknown, tool: string, input: unknown): Offer | undefined {
    this.#sweep();
    const found = this.#pending.get(String(name));
    this.#pending.delete(String(name));
    return found?.key === keyOf(tool, input) ? found.offer : undefined;
  }

  #sweep(): void {
    for (const [name, { until }] of this.#pending) {
      if (this.#pending.size <= MAX_PENDING && this.#now() < until) return;
      this.#pending.delete(name);
    }
  }
}
