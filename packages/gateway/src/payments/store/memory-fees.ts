import type { Clock } from '../../stores/clock.ts';
import { FEES, type Fee, type FeeBudget, type FeeStore } from './fees.ts';

interface Entry {
  readonly lamports: number;
  readonly isNewPayer: boolean;
  readonly untilMs: number;
}

/** The fees that one fee payer has spent or holds. */
class Account {
  /** Each in the order in which its entries cease to count. */
  readonly #held = new Map<string, Entry>();
  readonly #spent = new Map<string, Entry>();
  #all = 0;
  #ofNewPayers = 0;

  fits({ key, lamports, isNewPayer }: Fee, limit: number, nowMs: number): boolean {
    this.#expire(nowMs);
    const known = this.#find(key);
    const all = this.#all - (known?.lamports ?? 0) + lamports;
    const ofNewPayers = this.#ofNewPayers - (known?.isNewPayer ? known.lamports : 0) + lamports;
    return all <= limit && (!isNewPayer || ofNewPayers <= limit * FEES.newPayersShare);
  }

  hold({ key, lamports, isNewPayer }: Fee, nowMs: number): void {
    // What was spent is not forgotten sooner because the payment comes again.
    if (this.#spent.has(key)) return;
    this.remove(key);
    this.#add(this.#held, key, { lamports, isNewPayer, untilMs: nowMs + FEES.heldMs });
  }

  spend({ key, lamports, ...fee }: Fee, nowMs: number): void {
    const { isNewPayer } = this.#find(key) ?? fee;
    this.remove(key);
    this.#add(this.#spent, key, { lamports, isNewPayer, untilMs: nowMs + FEES.spentMs });
  }

  settle(key: string): void {
    const entry = this.#spent.get(key);
    if (!entry?.isNewPayer) return;
    this.#spent.set(key, { ...entry, isNewPayer: false });
    this.#ofNewPayers -= entry.lamports;
  }

  release(key: string): void {
    if (this.#held.has(key)) this.remove(key);
  }

  remove(key: string): void {
    const entry = this.#find(key);
    if (!entry) return;
    this.#held.delete(key);
    this.#spent.delete(key);
    this.#all -= entry.lamports;
    if (entry.isNewPayer) this.#ofNewPayers -= entry.lamports;
  }

  #add(entries: Map<string, Entry>, key: string, entry: Entry): void {
    entries.set(key, entry);
    this.#all += entry.lamports;
    if (entry.isNewPayer) this.#ofNewPayers += entry.lamports;
  }

  #find(key: string): Entry | undefined {
    return this.#held.get(key) ?? this.#spent.get(key);
  }

  #expire(nowMs: number): void {
    for (const entries of [this.#held, this.#spent]) {
      for (const [key, { untilMs }] of entries) {
        if (untilMs > nowMs) break;
        this.remove(key);
      }
    }
  }
}

/** The fees of one process, forgotten with it. */
export class MemoryFees implements FeeStore {
  readonly #now: Clock;
  readonly #accounts = new Map<string, Account>();

  constructor(now: Clock) {
    this.#now = now;
  }

  async fits({ feePayer, limit }: FeeBudget, fee: Fee): Promise<boolean> {
    return this.#of(feePayer).fits(fee, limit, this.#now());
  }

  async hold({ feePayer, limit }: FeeBudget, fee: Fee): Promise<boolean> {
    const account = this.#of(feePayer);
    const fits = account.fits(fee, limit, this.#now());
    if (fits) account.hold(fee, this.#now());
    return fits;
  }

  async spend({ feePayer }: FeeBudget, fee: Fee): Promise<void> {
    this.#of(feePayer).spend(fee, this.#now());
  }

  async settle(feePayer: string, key: string): Promise<void> {
    this.#of(feePayer).settle(key);
  }

  async release(feePayer: string, key: string): Promise<void> {
    this.#of(feePayer).release(key);
  }

  async expire(feePayer: string, key: string): Promise<void> {
    this.#of(feePayer).remove(key);
  }

  #of(feePayer: string): Account {
    const account = this.#accounts.get(feePayer) ?? new Account();
    this.#accounts.set(feePayer, account);
    return account;
  }
}
