import type { Database, RootDatabase } from 'lmdb';
import type { Clock } from '../../stores/clock.ts';
import { PAYMENTS } from '../record.ts';

const SWEEP_MS = 86_400_000;

/** The payers of one process that have settled a payment, on disk: for thirty days after the last one. */
export class SettledPayers {
  /** By wallet, when it last settled one. */
  readonly #payers: Database<number, string>;
  readonly #now: Clock;
  #sweptAtMs = 0;

  constructor(root: RootDatabase, now: Clock) {
    this.#payers = root.openDB<number, string>({ name: 'payers' });
    this.#now = now;
  }

  /** When a payer last settled a payment, in milliseconds; nothing when that is not known. */
  get(payer: string): number | undefined {
    return this.#payers.get(payer);
  }

  async put(payer: string, atMs: number): Promise<void> {
    await this.#payers.put(payer, atMs);
  }

  /** Lets go, once a day, of those who have not been here for long. */
  sweep(): void {
    if (this.#now() - this.#sweptAtMs < SWEEP_MS) return;
    this.#sweptAtMs = this.#now();
    for (const { key, value } of this.#payers.getRange()) {
      if (this.#now() - value >= PAYMENTS.payerMs) this.#payers.remove(key).catch(() => undefined);
    }
  }
}
