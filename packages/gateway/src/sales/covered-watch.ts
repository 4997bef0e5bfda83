import { NETWORKS } from '@asset-gateway/protocol';
import type { CoveredPayment, CoveredPayments } from '../credit/covered-payments.ts';
import { isOpen, type PaymentRecord } from '../payments/record.ts';
import type { Database } from '../stores/sql/database.ts';
import type { PayeeChain } from './audit.ts';
import { type Listed, listSince, transferBy } from './payee-history.ts';
import { appendMissing, missingEntry } from './repair.ts';

/** How often covered payments are looked for, in milliseconds. */
export interface WatchPace {
  /** New ones. */
  readonly everyMs: number;
  /** Each one again. */
  readonly againMs: number;
}

/** What covered payments are watched with. */
export interface CoveredWatchParts {
  readonly covered: CoveredPayments;
  readonly database: Database;
  readonly findPayment: (key: string) => Promise<PaymentRecord | undefined>;
  /** Opened when there is something to look for. */
  readonly payees: () => Promise<readonly PayeeChain[]>;
  readonly pace?: Partial<WatchPace> | undefined;
}

const PACE: WatchPace = { everyMs: 10_000, againMs: 30_000 };
/** After so many blocks without it, a transaction can never be taken. */
const DEAD_AFTER_BLOCKS = 200;
/** How far the chain's time of day may be from ours. */
const SKEW_MS = 60_000;

/**
 * Looks whether payments that credit has covered were broadcast all the same, and grants what they brought. However many there
 * are, one look at the chain's height and one at the payee's history are made for a network.
 */
export class CoveredWatch {
  readonly #parts: CoveredWatchParts;
  readonly #pace: WatchPace;
  readonly #timer: NodeJS.Timeout;
  #sweeping: Promise<void> | undefined;

  constructor(parts: CoveredWatchParts) {
    this.#parts = parts;
    this.#pace = { ...PACE, ...parts.pace };
    this.#timer = setInterval(() => this.sweep(), this.#pace.everyMs).unref();
    this.sweep();
  }

  /** Looks for all that are due. What could not be looked for stays due. */
  sweep(): void {
    this.#sweeping ??= this.#look()
      .catch(() => undefined)
      .finally(() => {
        this.#sweeping = undefined;
      });
  }

  /** Begins no other look, and resolves when the last one is over. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#sweeping;
  }

  async #look(): Promise<void> {
    const { covered, payees } = this.#parts;
    const due = await covered.due();
    const all = due.length === 0 ? [] : await payees();
    for (const network of new Set(due.map((payment) => payment.network))) {
      const ofNetwork = due.filter((payment) => payment.network === network);
      const payee = all.find((each) => NETWORKS[each.payee.cluster] === network);
      if (payee) await this.#lookOn(payee, ofNetwork);
      // There is no chain to read: only `sales verify` can find them.
      else for (const { key } of ofNetwork) await covered.end(key);
    }
  }

  async #lookOn(on: PayeeChain, due: readonly CoveredPayment[]): Promise<void> {
    const { covered } = this.#parts;
    // Read before the history: what has landed by this height is in it.
    const height = await on.chain.finalizedHeight();
    const sinceMs = Math.min(...due.map(({ atMs }) => atMs)) - SKEW_MS;
    const listed = await listSince(on.chain, on.payee.account, sinceMs);
    for (const payment of due) {
      const { key, memo, height: first = height } = payment;
      const landed = listed.filter((row) => row.memo === memo);
      const isOver = landed.length > 0 && (await this.#isGranted(payment, landed, on));
      if (isOver || height > first + DEAD_AFTER_BLOCKS) await covered.end(key);
      else await covered.again(key, this.#pace.againMs, first);
    }
  }

  /** Whether one of these transactions was the payment, and what it brought is granted. */
  async #isGranted(payment: CoveredPayment, landed: readonly Listed[], on: PayeeChain): Promise<boolean> {
    const { database, findPayment } = this.#parts;
    const record = await findPayment(payment.key);
    if (isOpen(record)) return false;
    if (record?.progress === 'settled') return true;
    for (const { signature } of landed) {
      const transfer = await transferBy(on.payee, on.chain, signature);
      const found = transfer && (await missingEntry(transfer, [on]));
      // Anyone can copy a memo.
      if (found?.key !== payment.key) continue;
      const { route, requestId } = payment;
      await appendMissing(database, { ...found, route, requestId }, true);
      return true;
    }
    return false;
  }
}
