import type { Database, RootDatabase } from 'lmdb';
import type { Clock } from './clock.ts';
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

const sizeOf = (text: string): number => Buffer.byteLength(text);
const isOpen = ({ progress }: PaymentRecord): boolean => progress === 'settling' || progress === 'unresolved';

/**
 * The payments of one process, in its folder. What is only reserved lives in memory, for nothing can have moved; from
 * `settling` on each step is flushed to disk before it counts. Decisions are atomic because nothing runs in between.
 */
export class EmbeddedPayments implements PaymentStore {
  readonly #records: Database<PaymentRecord, string>;
  readonly #answers: Database<{ text: string; atMs: number }, string>;
  /** When each record may be forgotten. */
  readonly #expiries: Database<boolean, [number, string]>;
  readonly #now: Clock;
  readonly #limits = new PayerLimits();
  /** Everything that is not over: reserved, open, owed, or on its way to the disk. */
  readonly #live = new Map<string, PaymentRecord>();
  readonly #kept = new Map<string, { readonly bytes: number; readonly atMs: number }>();
  #keptBytes = 0;
  #sweptAtMs = 0;

  constructor(root: RootDatabase, now: Clock) {
    this.#records = root.openDB<PaymentRecord, string>({ name: 'payments' });
    this.#answers = root.openDB<{ text: string; atMs: number }, string>({ name: 'answers' });
    this.#expiries = root.openDB<boolean, [number, string]>({ name: 'expiries' });
    this.#now = now;
    for (const { key, value } of this.#records.getRange()) {
      if (isOpen(value)) this.#live.set(key, { ...value, progress: 'unresolved' });
      else if (value.owed) this.#live.set(key, value);
    }
    const answers = this.#answers
      .getRange()
      .map(({ key, value: { text, atMs } }) => ({ key, bytes: sizeOf(text), atMs }));
    for (const { key, bytes, atMs } of [...answers].sort((one, other) => one.atMs - other.atMs)) {
      this.#count(key, bytes, atMs);
    }
  }

  now(): number {
    return this.#now();
  }

  find(key: string): PaymentRecord | undefined {
    const record = this.#live.get(key) ?? this.#records.get(key);
    const age = this.now() - (record?.resolvedAtMs ?? this.now());
    return record?.progress === 'refused' && age > PAYMENTS.refusedMs ? undefined : record;
  }

  answer(key: string): string | undefined {
    const kept = this.#kept.get(key);
    const isFresh = kept && this.now() - kept.atMs < PAYMENTS.answerMs;
    return isFresh || this.#isNeeded(key) ? this.#answers.get(key)?.text : undefined;
  }

  reserve(payment: NewPayment): ReserveVerdict {
    this.#sweep();
    const { key, payer, requestHash } = payment;
    if (this.find(key)) return 'taken';
    if (this.owed(payer, requestHash)) return 'owed';
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
    const atMs = this.now();
    this.#count(key, sizeOf(answer), atMs);
    await this.#answers.put(key, { text: answer, atMs });
  }

  called(key: string): void {
    const record = this.#live.get(key);
    if (record) this.#limits.called(record.payer, key, this.now());
  }

  async settling(key: string, owner: string, { answer, ...facts }: Settling): Promise<void> {
    const record = this.#live.get(key);
    if (record?.progress !== 'reserved' || record.owner !== owner) throw new Error('the reservation is lost');
    const next: PaymentRecord = { ...record, ...facts, progress: 'settling' };
    this.#live.set(key, next);
    try {
      await Promise.all([this.keep(key, answer), this.#records.put(key, next)]);
      await this.#records.flushed;
    } catch (error) {
      await this.#takeBack(record);
      throw error;
    }
  }

  /** Nothing was sent: back to reserved, if the disk can be brought to forget it; else it stays open. */
  async #takeBack(record: PaymentRecord): Promise<void> {
    try {
      await this.#records.remove(record.key);
      await this.#records.flushed;
      this.#live.set(record.key, { ...record, progress: 'reserved' });
    } catch {
      this.#live.set(record.key, { ...record, progress: 'unresolved' });
    }
  }

  unresolved(key: string, signature?: string): void {
    const record = this.#live.get(key);
    if (!record || !isOpen(record)) return;
    this.#limits.leave(record.payer, key);
    const next: PaymentRecord = { ...record, ...(signature && { signature }), progress: 'unresolved' };
    this.#live.set(key, next);
    this.#records.put(key, next).catch(() => undefined);
  }

  async resolve(key: string, proof: Proof): Promise<void> {
    const record = this.find(key);
    if (record?.progress === 'settled' || !record) return;
    const resolvedAtMs = this.now();
    const isSettled = proof.progress === 'settled';
    const forgetAtMs = resolvedAtMs + (isSettled ? PAYMENTS.recordMs : PAYMENTS.refusedMs);
    const next: PaymentRecord = { ...record, ...proof, resolvedAtMs, forgetAtMs, owed: isSettled };
    this.#live.set(key, next);
    this.#limits.leave(record.payer, key);
    if (isSettled) this.#limits.settled(record.payer, key);
    await Promise.all([this.#records.put(key, next), this.#expiries.put([forgetAtMs, key], true)]);
    await this.#records.flushed;
    if (!isSettled && this.#live.get(key) === next) this.#live.delete(key);
  }

  async withdraw(key: string, owner: string): Promise<void> {
    const record = this.#live.get(key);
    if (record?.progress !== 'settling' || record.owner !== owner) return;
    await this.#takeBack(record);
    this.release(key, owner);
  }

  release(key: string, owner: string): void {
    const record = this.#live.get(key);
    if (record?.progress !== 'reserved' || record.owner !== owner) return;
    this.#live.delete(key);
    this.#limits.leave(record.payer, key);
  }

  delivered(key: string): void {
    const record = this.find(key);
    if (!record?.owed) return;
    const next: PaymentRecord = { ...record, owed: false };
    this.#live.set(key, next);
    this.#records.put(key, next).then(
      () => this.#live.get(key) === next && this.#live.delete(key),
      () => undefined,
    );
  }

  open(): readonly PaymentRecord[] {
    return [...this.#live.values()].filter(({ progress }) => progress === 'unresolved');
  }

  owed(payer: string, requestHash: string): PaymentRecord | undefined {
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

  #count(key: string, bytes: number, atMs: number): void {
    this.#keptBytes += bytes - (this.#kept.get(key)?.bytes ?? 0);
    this.#kept.delete(key);
    this.#kept.set(key, { bytes, atMs });
  }

  /** Drops answers that are old, or the oldest of too many, and records that no clock asks for any more. */
  #sweep(): void {
    const now = this.now();
    if (now - this.#sweptAtMs < SWEEP_MS && this.#keptBytes <= PAYMENTS.answerBytes) return;
    this.#sweptAtMs = now;
    this.#limits.sweep(now);
    for (const [key, { bytes, atMs }] of this.#kept) {
      if (this.#isNeeded(key) || (now - atMs < PAYMENTS.answerMs && this.#keptBytes <= PAYMENTS.answerBytes)) continue;
      this.#kept.delete(key);
      this.#keptBytes -= bytes;
      this.#answers.remove(key).catch(() => undefined);
    }
    this.#forget(now);
  }

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
