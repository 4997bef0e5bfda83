import type { Database, RootDatabase } from 'lmdb';
import type { Clock } from '../../stores/clock.ts';
import { PAYMENTS } from '../record.ts';
import type { Paid } from '../state.ts';

const SWEEP_MS = 86_400_000;

/** What payers have paid to one process, on disk: for thirty days after the last payment that counts. */
export class PaidPayers {
  /** By network and wallet. */
  readonly #payers: Database<readonly Paid[], string>;
  readonly #now: Clock;
  #sweptAtMs = 0;

  constructor(root: RootDatabase, now: Clock) {
    this.#payers = root.openDB<readonly Paid[], string>({ name: 'paid' });
    this.#now = now;
  }

  /** Nothing of a payer that has paid nothing that counts. */
  get(payer: string): readonly Paid[] | undefined {
    return this.#payers.get(payer);
  }

  async put(payer: string, paid: readonly Paid[]): Promise<void> {
    await this.#payers.put(payer, paid);
  }

  /** Removes, once a day, what counts no more. */
  sweep(): void {
    if (this.#now() - this.#sweptAtMs < SWEEP_MS) return;
    this.#sweptAtMs = this.#now();
    for (const { key, value } of this.#payers.getRange()) {
      if (this.#now() - (value.at(-1)?.atMs ?? 0) >= PAYMENTS.payerMs) this.#payers.remove(key).catch(() => undefined);
    }
  }
}
