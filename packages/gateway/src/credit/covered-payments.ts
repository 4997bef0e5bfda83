import { type Cluster, NETWORKS } from '@asset-gateway/protocol';
import type { Database } from '../stores/sql/database.ts';
import { findWatched, watchAgain } from './rows.ts';

/** A payment that credit was spent in place of. Until no block can take it any more, someone may broadcast it. */
export interface CoveredPayment {
  readonly key: string;
  /** CAIP-2. */
  readonly network: string;
  /** By which it is found among the payee's transactions. */
  readonly memo: string;
  readonly route: string;
  readonly requestId: string;
  /** When it was covered, in milliseconds. */
  readonly atMs: number;
  /** The finalized block height when it was first looked for. */
  readonly height?: number;
}

const MOST_AT_ONCE = 100;

/** The payments that were covered and may yet be broadcast. */
export class CoveredPayments {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Those that are to be looked for now. */
  async due(): Promise<readonly CoveredPayment[]> {
    const found = await this.#database.read(findWatched(Math.floor(this.#database.now()), MOST_AT_ONCE));
    return found.map((row) => ({
      key: String(row.id),
      network: NETWORKS[row.cluster as Cluster],
      memo: String(row.memo),
      route: String(row.route),
      requestId: String(row.request_id),
      atMs: Number(row.captured_at_ms),
      ...(row.height !== null && { height: Number(row.height) }),
    }));
  }

  /** Has a payment looked for again; `height` is that of the chain when it was first looked for. */
  async again(key: string, againMs: number, height: number): Promise<void> {
    const fromMs = Math.floor(this.#database.now()) + againMs;
    await this.#database.write({ guard: watchAgain(key, fromMs, height) });
  }

  /** It has landed and is granted, or it never will. */
  async end(key: string): Promise<void> {
    await this.#database.write({ guard: watchAgain(key, null, null), isDurable: true });
  }
}
