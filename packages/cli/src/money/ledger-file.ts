import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GatewayError, type SentRequest } from '@asset-gateway/client';
import { type EarlierPayment, isSameRequest, type LedgerEntry, type SpendingLedger } from '@asset-gateway/client/pay';
import { append, makeFolder } from './durable.ts';
import { Account, type Entry, entriesIn, type Spent, type Step } from './entries.ts';
import { OpenPayments } from './open-payments.ts';

/** The moments of a purchase, for tests that end the process at each of them. */
export type PurchaseStep = 'held' | 'signed' | 'recorded' | 'answered' | 'closed';

/** What was spent. */
export interface Spending {
  /** Millionths of a dollar in the last 24 hours. */
  readonly dayMicros: number;
  readonly allMicros: number;
  /** The oldest first. */
  readonly spent: readonly Spent[];
}

const limit = (message: string): GatewayError => new GatewayError('spending_limit', { message });
const finite = (micros: number): number | null => (Number.isFinite(micros) ? micros : null);

/**
 * A ledger in a file of the state folder that all processes of a user share. It needs no lock: every entry is appended by one write,
 * so that they stand in one order for everybody, and an amount counts only where what stands before it leaves room for it.
 */
export class LedgerFile implements SpendingLedger {
  readonly payments: OpenPayments;
  readonly #file: string;
  readonly #folder: string;
  readonly #now: () => number;
  readonly #onStep: (step: PurchaseStep) => void;

  constructor(folder: string, now: () => number, onStep: (step: PurchaseStep) => void = () => {}) {
    this.#folder = folder;
    this.#file = join(folder, 'spending.jsonl');
    this.payments = new OpenPayments(folder);
    this.#now = now;
    this.#onStep = onStep;
  }

  async hold(micros: number, caps: Parameters<SpendingLedger['hold']>[1]): Promise<string> {
    const { perDayMicros, inAllMicros } = caps;
    makeFolder(this.#folder);
    const id = randomUUID();
    const limits = { perDayMicros: finite(perDayMicros), inAllMicros: finite(inAllMicros) };
    this.#write({ id, step: 'held', at: this.#now(), micros, ...limits });
    if (!this.#isWithin(id)) {
      throw limit(`$${micros / 1e6} more would exceed $${perDayMicros / 1e6} in 24 hours; nothing was signed`);
    }
    this.#onStep('held');
    return id;
  }

  async signed(id: string, { micros, request, headers }: LedgerEntry): Promise<void> {
    this.#onStep('signed');
    this.payments.record({ id, at: this.#now(), micros, pid: process.pid, request, headers });
    this.#write({ id, step: 'signed', at: this.#now() }, true);
    this.#onStep('recorded');
  }

  async release(id: string): Promise<void> {
    // It has not been sent, and is not to be: where the disk is full, this still works.
    this.payments.remove(id);
    this.#write({ id, step: 'released', at: this.#now() });
  }

  async closed(id: string, outcome: 'paid' | 'refused'): Promise<void> {
    this.#onStep('answered');
    this.#write({ id, step: outcome, at: this.#now() }, true);
    this.payments.remove(id);
    this.#onStep('closed');
  }

  async earlier(request: SentRequest): Promise<readonly EarlierPayment[]> {
    const open = this.payments.list().filter((each) => isSameRequest(each.request, request));
    return open.reverse().map(({ id, at, micros, headers }) => ({ id, at, micros, headers, state: 'signed' }));
  }

  /** What was spent up to now. */
  spending(): Spending {
    const account = new Account();
    for (const entry of this.#entries()) account.take(entry);
    return { dayMicros: account.dayBefore(this.#now()), allMicros: account.all, spent: account.spent };
  }

  /** Whether an outcome stands in the file already: a crash may have come before its payment was removed. */
  isClosed(id: string): boolean {
    const closes: readonly Step[] = ['paid', 'refused', 'released'];
    return [...this.#entries()].some((entry) => entry.id === id && closes.includes(entry.step));
  }

  #isWithin(id: string): boolean {
    const account = new Account();
    for (const entry of this.#entries()) {
      const isWithin = account.take(entry);
      if (entry.id === id) return isWithin;
    }
    throw new Error(`${this.#file} does not keep what is written to it; nothing was signed`);
  }

  #entries(): Generator<Entry> {
    try {
      return entriesIn(readFileSync(this.#file, 'utf8'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      return entriesIn('');
    }
  }

  /** Begins with a line end, too: what a crash has left of a line before it spoils nothing. */
  #write(entry: Entry, isDurable = false): void {
    append(this.#file, `\n${JSON.stringify(entry)}\n`, isDurable);
  }
}
