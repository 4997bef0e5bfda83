import type { Clock } from '../clock.ts';
import {
  type NewPayment,
  PAYMENTS,
  type PaymentRecord,
  type PaymentStore,
  type Proof,
  type ReserveVerdict,
  type Settling,
} from '../payments.ts';
import { BACKGROUND, type RedisConnection, requestOf } from './connection.ts';
import { Keyspace } from './keyspace.ts';
import { fieldsOf, recordOf } from './payment-fields.ts';
import { PAYMENTS_TAG } from './payment-lua.ts';
import * as scripts from './payment-scripts.ts';
import type { Script } from './script.ts';

/** How often a node gives a sign of life: several times in a lease. */
const RENEW_MS = 2_000;
const OPEN_AT_ONCE = 100;
/** As much as an upstream may answer. */
const MAX_ANSWER_BYTES = 5 * 1024 * 1024;

/** What tests may change. */
export interface RedisPaymentsOptions {
  /** Instead of Redis's own. */
  readonly clock?: Clock;
  /** Bytes that all kept answers may have together. */
  readonly answerBytes?: number;
}

/**
 * The payments of all nodes. Whoever reserves one or settles it renews its lease while it lives. When it dies, a reservation
 * ends by itself, and what it was settling is read as unresolved, so that any node finds out what became of it. All keys
 * share one hash tag and so, in a cluster, one server.
 */
export class RedisPayments implements PaymentStore {
  readonly #space: Keyspace;
  readonly #answerBytes: number;
  /** What this node has reserved or is settling, and as which owner. */
  readonly #leased = new Map<string, string>();
  readonly #renewing: NodeJS.Timeout;

  constructor(connection: RedisConnection, { clock, answerBytes }: RedisPaymentsOptions = {}) {
    this.#space = new Keyspace(connection, PAYMENTS_TAG, clock);
    this.#answerBytes = answerBytes ?? PAYMENTS.answerBytes;
    this.#renewing = setInterval(() => this.#renew().catch(() => undefined), RENEW_MS);
    this.#renewing.unref();
  }

  now(): number {
    return this.#space.now();
  }

  async find(key: string): Promise<PaymentRecord | undefined> {
    return recordOf(await this.#run(scripts.FIND, key));
  }

  async answer(key: string): Promise<string | undefined> {
    const text = await this.#space.run({ script: scripts.ANSWER, args: [key], patience: requestOf(MAX_ANSWER_BYTES) });
    return typeof text === 'string' ? text : undefined;
  }

  async reserve(payment: NewPayment): Promise<ReserveVerdict> {
    const { key, payer, requestHash, owner } = payment;
    const fields = fieldsOf(payment);
    const verdict = await this.#space.insist((isSecond) => ({
      script: scripts.RESERVE,
      args: [key, payer, requestHash, owner, Number(isSecond), ...fields],
    }));
    if (verdict === 'reserved') this.#leased.set(key, owner);
    return verdict as ReserveVerdict;
  }

  async adopt(payment: NewPayment, signature: string): Promise<void> {
    const { key, payer, requestHash } = payment;
    this.#leased.delete(key);
    await this.#run(scripts.ADOPT, key, payer, requestHash, signature, ...fieldsOf(payment));
  }

  async keep(key: string, answer: string): Promise<void> {
    const patience = requestOf(Buffer.byteLength(answer));
    await this.#space.run({ script: scripts.KEEP, args: [key, answer, this.#answerBytes], patience });
  }

  async called(key: string): Promise<void> {
    await this.#run(scripts.CALLED, key);
  }

  async calls(key: string): Promise<number> {
    return Number(await this.#run(scripts.CALLS, key));
  }

  async settling(key: string, owner: string, { answer, ...facts }: Settling): Promise<'settling' | 'owed'> {
    const fields = fieldsOf(facts);
    const patience = requestOf(Buffer.byteLength(answer));
    const stepOf = (isSecond: boolean) => ({
      script: scripts.SETTLING,
      args: [key, owner, Number(isSecond), answer, this.#answerBytes, ...fields],
      patience,
    });
    const verdict = await this.#space.insist(stepOf).catch((error) => {
      // It may have been written all the same; then nobody renews it, and it becomes unresolved.
      this.#leased.delete(key);
      throw error;
    });
    if (verdict !== 'settling' && verdict !== 'owed') throw new Error('the reservation is lost');
    return verdict;
  }

  async unresolved(key: string, signature = ''): Promise<void> {
    this.#leased.delete(key);
    await this.#run(scripts.UNRESOLVED, key, signature);
  }

  async resolve(key: string, proof: Proof, owner = ''): Promise<void> {
    this.#leased.delete(key);
    const evidence = proof.progress === 'settled' ? proof.signature : proof.reason;
    await this.#run(scripts.RESOLVE, key, proof.progress, evidence, owner);
  }

  async withdraw(key: string, owner: string): Promise<void> {
    await this.#takeBack(key, owner, 'settling');
  }

  async release(key: string, owner: string): Promise<void> {
    await this.#takeBack(key, owner, 'reserved').catch(() => undefined);
  }

  async delivered(key: string): Promise<void> {
    await this.#run(scripts.DELIVERED, key);
  }

  async open(): Promise<readonly PaymentRecord[]> {
    const records = (await this.#run(scripts.OPEN, OPEN_AT_ONCE)) as unknown[];
    return records.map(recordOf).filter((record) => record !== undefined);
  }

  async owed(payer: string, requestHash: string): Promise<PaymentRecord | undefined> {
    return recordOf(await this.#run(scripts.OWED, payer, requestHash));
  }

  close(): void {
    clearInterval(this.#renewing);
  }

  #run(script: Script, ...args: (string | number)[]): Promise<unknown> {
    return this.#space.run({ script, args });
  }

  /** What stays with its owner in another state is a settlement that outlives its request: it goes on being renewed. */
  async #takeBack(key: string, owner: string, progress: 'reserved' | 'settling'): Promise<void> {
    let state: unknown;
    try {
      state = await this.#run(scripts.TAKE_BACK, key, owner, progress);
    } finally {
      if (state !== 'settling' && this.#leased.get(key) === owner) this.#leased.delete(key);
    }
  }

  async #renew(): Promise<void> {
    if (this.#leased.size === 0) return;
    const args = [...this.#leased].flat();
    const lost = (await this.#space.run({ script: scripts.RENEW, args, patience: BACKGROUND })) as string[];
    for (const key of lost) this.#leased.delete(key);
  }
}
