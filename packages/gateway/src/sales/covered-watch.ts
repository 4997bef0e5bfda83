import type { Cluster } from '@asset-gateway/protocol';
import type { Background, Repeated } from '../background.ts';
import { DEAD_AFTER_BLOCKS, SKEW_MS } from '../payments/facilitator/chain.ts';
import { isOpen, type PaymentRecord } from '../payments/record.ts';
import type { Database } from '../stores/sql/database.ts';
import { appendMissing, type Listed, listSince, missingEntry, type Payee, transferBy } from './payee-history.ts';

/** How often covered payments are looked for, in milliseconds. */
export interface WatchPace {
  /** How often new payments are read from the database. */
  readonly everyMs: number;
  /** How long after a search the same payment is searched again. */
  readonly againMs: number;
}

/** What the watch needs. */
interface WatchDependencies {
  readonly database: Database;
  readonly findPayment: (key: string) => Promise<PaymentRecord | undefined>;
  /** Opens the chains on the first call. */
  readonly payees: () => Promise<readonly Payee[]>;
  readonly pace?: Partial<WatchPace> | undefined;
  readonly background: Background;
}

/** A payment that credit has covered. Until its blockhash expires, someone may still broadcast it. */
interface CoveredPayment {
  readonly key: string;
  readonly cluster: Cluster;
  /** Finds the payment among the payee's transactions. */
  readonly memo: string;
  readonly route: string;
  readonly requestId: string;
  readonly coveredAtMs: number;
  /** The finalized block height at the first search. */
  readonly height: number | null;
}

const PACE: WatchPace = { everyMs: 10_000, againMs: 30_000 };
const MOST_AT_ONCE = 100;

/** Its columns are the members of a covered payment. */
const FIND_DUE = `select w.cluster, d.id as key, d.memo, d.route, d.request_id as "requestId", d.captured_at_ms as "coveredAtMs", d.height
  from debits d join wallets w on w.id = d.wallet_id where d.watch_from_ms <= $1 order by d.watch_from_ms limit $2`;
/** Sets the time of the next search; null ends the watch. */
const SCHEDULE = 'update debits set watch_from_ms = $2, height = $3 where id = $1 and {in time} returning id';

/**
 * Finds covered payments that were broadcast all the same, and grants the credit that they brought. Each sweep reads a network's
 * height and the payee's history once, for all payments together.
 */
export class CoveredWatch {
  readonly #dependencies: WatchDependencies;
  readonly #pace: WatchPace;
  readonly #searching: Repeated;

  constructor(dependencies: WatchDependencies) {
    this.#dependencies = dependencies;
    this.#pace = { ...PACE, ...dependencies.pace };
    const search = () => this.#searchAll();
    this.#searching = dependencies.background.every('covered_payments', this.#pace.everyMs, search);
    void this.#searching.run();
  }

  /** Starts no other search, and resolves when the last one has ended. */
  close(): Promise<void> {
    return this.#searching.close();
  }

  /** Searches all payments that are due. A failed search stays due. */
  async #searchAll(): Promise<void> {
    const { database, payees } = this.#dependencies;
    const rows: readonly object[] = await database.read({ sql: FIND_DUE, values: [this.#nowMs(), MOST_AT_ONCE] });
    const due = rows as readonly CoveredPayment[];
    const all = due.length === 0 ? [] : await payees();
    for (const cluster of new Set(due.map((payment) => payment.cluster))) {
      const ofCluster = due.filter((payment) => payment.cluster === cluster);
      const payee = all.find((each) => each.cluster === cluster);
      if (payee) await this.#search(payee, ofCluster);
      // Without an RPC only `sales verify` can find them.
      else for (const { key } of ofCluster) await this.#schedule(key);
    }
  }

  async #search(payee: Payee, due: readonly CoveredPayment[]): Promise<void> {
    // Read before the history, which therefore holds all that has landed by this height.
    const height = await payee.chain.finalizedHeight();
    const sinceMs = Math.min(...due.map(({ coveredAtMs }) => coveredAtMs)) - SKEW_MS;
    const listed = await listSince(payee, sinceMs);
    for (const payment of due) {
      const { key, memo } = payment;
      const first = payment.height ?? height;
      const landed = listed.filter((row) => row.memo === memo);
      const isOver = landed.length > 0 && (await this.#isGranted(payment, landed, payee));
      if (isOver || height > first + DEAD_AFTER_BLOCKS) await this.#schedule(key);
      else await this.#schedule(key, this.#nowMs() + this.#pace.againMs, first);
    }
  }

  /** Whether the payment is among these transactions and its credit is granted. */
  async #isGranted(payment: CoveredPayment, landed: readonly Listed[], payee: Payee): Promise<boolean> {
    const { database, findPayment } = this.#dependencies;
    const record = await findPayment(payment.key);
    if (isOpen(record)) return false;
    if (record?.progress === 'settled') return true;
    for (const { signature } of landed) {
      const transfer = await transferBy(payee, signature);
      const found = transfer && (await missingEntry(transfer));
      // Anyone can copy a memo.
      if (found?.key !== payment.key) continue;
      const { route, requestId } = payment;
      await appendMissing(database, { ...found, route, requestId }, true);
      return true;
    }
    return false;
  }

  /** Searches a payment again at a time; never, if it has landed and is granted, or can never land. */
  async #schedule(key: string, atMs: number | null = null, height: number | null = null): Promise<void> {
    const guard = { sql: SCHEDULE, values: [key, atMs, height] };
    await this.#dependencies.database.write({ guard, isDurable: atMs === null });
  }

  #nowMs(): number {
    return Math.floor(this.#dependencies.database.now());
  }
}
