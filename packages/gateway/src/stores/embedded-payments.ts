import type { Database, RootDatabase } from 'lmdb';
import type { Clock } from './clock.ts';
import type { FreeSpace } from './free-space.ts';
import { KeptAnswers } from './kept-answers.ts';
import { PayerLimits } from './payer-limits.ts';
import {
  type NewPayment,
  PAYMENTS,
  type PaymentRecord,
  type PaymentStore,
  type Proof,
  type ReserveVerdict,
  type Settling,
} from './payments.ts';

const SWEEP_MS = 30_000;
const FORGET_AT_ONCE = 10_000;

const isOpen = ({ progress }: PaymentRecord): boolean => progress === 'settling' || progress === 'unresolved';

/**
 * The payments of one process, in its folder. What is only reserved lives in memory, for nothing can have moved; from
 * `settling` on each step is flushed to disk before it counts. Each method decides before its first await, so that nothing
 * runs in between.
 */
export class EmbeddedPayments implements PaymentStore {
  readonly #records: Database<PaymentRecord, string>;
  readonly #answers: KeptAnswers;
  /** When each record may be forgotten. */
  readonly #expiries: Database<boolean, [number, string]>;
  readonly #now: Clock;
  readonly #space: FreeSpace;
  readonly #limits = new PayerLimits();
  /** Everything that is not over: reserved, open, owed, or on its way to the disk. */
  readonly #live = new Map<string, PaymentRecord>();
  #sweptAtMs = 0;

  constructor(root: RootDatabase, now: Clock, space: FreeSpace) {
    this.#records = root.openDB<PaymentRecord, string>({ name: 'payments' });
    this.#answers = new KeptAnswers(root, now);
    this.#expiries = root.openDB<boolean, [number, string]>({ name: 'expiries' });
    this.#now = now;
    this.#space = space;
    for (const { key, value } of this.#records.getRange()) {
      if (isOpen(value)) this.#live.set(key, { ...value, progress: 'unresolved' });
      else if (value.owed) this.#live.set(key, value);
    }
  }

  now(): number {
    return this.#now();
  }

  async find(key: string): Promise<PaymentRecord | undefined> {
    return this.#find(key);
  }

  async answer(key: string): Promise<string | undefined> {
    return this.#answers.get(key, this.#isNeeded(key));
  }

  async reserve(payment: NewPayment): Promise<ReserveVerdict> {
    this.#sweep();
    const { key, payer, requestHash } = payment;
    if (this.#find(key)) return 'taken';
    if (this.#owed(payer, requestHash)) return 'owed';
    const verdict = this.#limits.verdict(payer, key, this.now());
    if (verdict !== 'reserved') return verdict;
    this.#limits.enter(payer, key);
    this.#live.set(key, { ...payment, progress: 'reserved' });
    return 'reserved';
  }

  async adopt(payment: NewPayment, signature: string): Promise<void> {
    this.#live.set(payment.key, { ...payment, progress: 'settling' });
    await this.resolve(payment.key, { progress: 'settled', signature });
  }

  async keep(key: string, answer: string): Promise<void> {
    this.#space.assertToBegin();
    await this.#answers.put(key, answer);
  }

  async called(key: string): Promise<void> {
    const payer = this.#find(key)?.payer;
    if (payer !== undefined) this.#limits.called(payer, key, this.now());
  }

  async calls(key: string): Promise<number> {
    return this.#limits.calls(key);
  }

  async settling(key: string, owner: string, { answer, ...facts }: Settling): Promise<'settling' | 'owed'> {
    const record = this.#live.get(key);
    if (record?.progress !== 'reserved' || record.owner !== owner) throw new Error('the reservation is lost');
    if (this.#owed(record.payer, record.requestHash)) return 'owed';
    this.#space.assertToBegin();
    const next: PaymentRecord = { ...record, ...facts, progress: 'settling' };
    this.#live.set(key, next);
    try {
      await Promise.all([this.keep(key, answer), this.#records.put(key, next)]);
      await this.#records.flushed;
      return 'settling';
    } catch (error) {
      await this.#takeBack(record);
      throw error;
    }
  }

  async unresolved(key: string, signature?: string): Promise<void> {
    const record = this.#live.get(key);
    if (!record || !isOpen(record)) return;
    this.#limits.leave(record.payer, key);
    const next: PaymentRecord = { ...record, ...(signature && { signature }), progress: 'unresolved' };
    this.#live.set(key, next);
    this.#space.assertToEnd();
    await this.#records.put(key, next);
  }

  async resolve(key: string, proof: Proof, owner?: string): Promise<void> {
    const record = this.#find(key);
    if (record?.progress === 'settled' || !record) return;
    const isTheirs = record.progress === 'settling' && record.owner === owner;
    if (proof.progress === 'refused' && owner !== undefined && !isTheirs) return;
    const resolvedAtMs = this.now();
    const isSettled = proof.progress === 'settled';
    const forgetAtMs = resolvedAtMs + (isSettled ? PAYMENTS.recordMs : PAYMENTS.refusedMs);
    const next: PaymentRecord = { ...record, ...proof, resolvedAtMs, forgetAtMs, owed: isSettled };
    this.#live.set(key, next);
    this.#limits.leave(record.payer, key);
    if (isSettled) this.#limits.settled(record.payer, key);
    this.#space.assertToEnd();
    await Promise.all([this.#records.put(key, next), this.#expiries.put([forgetAtMs, key], true)]);
    await this.#records.flushed;
    if (!isSettled && this.#live.get(key) === next) this.#live.delete(key);
  }

  async withdraw(key: string, owner: string): Promise<void> {
    const record = this.#live.get(key);
    if (record?.progress !== 'settling' || record.owner !== owner) return;
    await this.#takeBack(record);
    await this.release(key, owner);
  }

  async release(key: string, owner: string): Promise<void> {
    const record = this.#live.get(key);
    if (record?.progress !== 'reserved' || record.owner !== owner) return;
    this.#live.delete(key);
    this.#limits.leave(record.payer, key);
  }

  async delivered(key: string): Promise<void> {
    const record = this.#find(key);
    if (!record?.owed) return;
    const next: PaymentRecord = { ...record, owed: false };
    this.#live.set(key, next);
    this.#space.assertToEnd();
    await this.#records.put(key, next);
    if (this.#live.get(key) === next) this.#live.delete(key);
  }

  async open(): Promise<readonly PaymentRecord[]> {
    return [...this.#live.values()].filter(({ progress }) => progress === 'unresolved');
  }

  async owed(payer: string, requestHash: string): Promise<PaymentRecord | undefined> {
    return this.#owed(payer, requestHash);
  }

  #find(key: string): PaymentRecord | undefined {
    const record = this.#live.get(key) ?? this.#records.get(key);
    const age = this.now() - (record?.resolvedAtMs ?? this.now());
    return record?.progress === 'refused' && age > PAYMENTS.refusedMs ? undefined : record;
  }

  #owed(payer: string, requestHash: string): PaymentRecord | undefined {
    for (const record of this.#live.values()) {
      const isTheirs = record.payer === payer && record.requestHash === requestHash;
      if (isTheirs && (isOpen(record) || this.#isOwed(record))) return record;
    }
    return undefined;
  }

  #isOwed({ owed = false, resolvedAtMs = 0 }: PaymentRecord): boolean {
    return owed && this.now() - resolvedAtMs < PAYMENTS.answerMs;
  }

  /** Whether an answer may yet be asked for, however old it is. */
  #isNeeded(key: string): boolean {
    const record = this.#live.get(key);
    return record !== undefined && (isOpen(record) || this.#isOwed(record));
  }

  /** Nothing was sent: back to reserved, if the disk can be brought to forget it; else it stays open. */
  async #takeBack(record: PaymentRecord): Promise<void> {
    try {
      this.#space.assertToEnd();
      await this.#records.remove(record.key);
      await this.#records.flushed;
      this.#live.set(record.key, { ...record, progress: 'reserved' });
    } catch {
      this.#live.set(record.key, { ...record, progress: 'unresolved' });
    }
  }

  #sweep(): void {
    const now = this.now();
    if (now - this.#sweptAtMs < SWEEP_MS && !this.#answers.isOverfull) return;
    if (!this.#space.isEnoughToEnd()) return;
    this.#sweptAtMs = now;
    this.#limits.sweep(now);
    this.#answers.sweep((key) => this.#isNeeded(key));
    this.#forget(now);
  }

  /** Lets go of records that no clock asks for any more. */
  #forget(now: number): void {
    for (const [key, record] of this.#live) {
      if (record.owed && !this.#isOwed(record)) this.#live.delete(key);
    }
    for (const { key: expiry } of this.#expiries.getRange({ end: [now], limit: FORGET_AT_ONCE })) {
      const isDue = this.#records.get(expiry[1])?.forgetAtMs === expiry[0];
      if (isDue) this.#records.remove(expiry[1]).catch(() => undefined);
      this.#expiries.remove(expiry).catch(() => undefined);
    }
  }
}
