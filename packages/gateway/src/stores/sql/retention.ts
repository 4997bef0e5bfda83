import type { Database, Statement, Value } from './database.ts';

/** How long and how much is kept. */
export interface RetentionOptions {
  /** How long entries of the journal are kept, in milliseconds. */
  readonly journalKeepMs: number;
  /** How many bytes all stored answers may have together. */
  readonly answerBytes: number;
  /** How long debits and idle wallets are kept, and how long covered payments are watched, in milliseconds. */
  readonly debitMs: number;
  readonly watchMs: number;
  /** Releases holds that have lapsed. */
  readonly releaseLapsed: () => Promise<void>;
}

const EVERY_MS = 30_000;
const MOST_AT_ONCE = 500;

/** The condition stands there twice: PostgreSQL judges a row again that was changed meanwhile, but not the list that it is in. */
const removal = (table: string, key: string, condition: string, values: readonly Value[]): Statement => ({
  sql: `delete from ${table} where ${key} in (select ${key} from ${table} where ${condition} limit ${MOST_AT_ONCE})
  and ${condition} and {in time} returning ${key} as id`,
  values,
});

/** Rows were made about in the order of their numbers: those behind the first that is not over are not looked at. */
const before = (table: string, isOver: string, isNotOver: string): string => `${isOver} and number < coalesce(
  (select number from ${table} where ${isNotOver} order by number limit 1), ${Number.MAX_SAFE_INTEGER})`;

const IS_OLD_ANSWER = before('answers', 'until_ms <= $1', 'until_ms > $1');
const IS_OLD_DEBIT = before(
  'debits',
  'captured_at_ms <= $1 and watch_from_ms is null',
  'coalesce(captured_at_ms, until_ms) > $1',
);
const END_WATCH = `update debits set watch_from_ms = null where watch_from_ms is not null and captured_at_ms <= $1 and {in time}
  returning id`;
const NO_REFERENCE = ['payments', 'debits', 'journal_entries']
  .map((table) => `not exists (select 1 from ${table} where wallet_id = wallets.id)`)
  .join(' and ');

/** The youngest of the answers that are too many: they are summed up from the youngest on. */
const EXCESS = `select max(number) as number from (
  select number, sum(bytes) over (order by number desc) as total from answers) as summed where total > $1`;

/** Deletes what is over, a part at a time, on any number of nodes. */
export class Retention {
  readonly #database: Database;
  readonly #options: RetentionOptions;
  readonly #timer: NodeJS.Timeout;
  #pruning: Promise<void> | undefined;

  constructor(database: Database, options: RetentionOptions) {
    this.#database = database;
    this.#options = options;
    this.#timer = setInterval(() => void this.prune().catch(() => undefined), EVERY_MS).unref();
  }

  /** Deletes what is over now. */
  prune(): Promise<void> {
    this.#pruning ??= this.#prune().finally(() => {
      this.#pruning = undefined;
    });
    return this.#pruning;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#pruning?.catch(() => undefined);
  }

  async #prune(): Promise<void> {
    const nowMs = Math.floor(this.#database.now());
    const { journalKeepMs, debitMs, watchMs } = this.#options;
    const oldMs = nowMs - debitMs;
    const isFeeOver = '(fee_until_ms is null or fee_until_ms <= $1)';
    await this.#repeat(removal('payments', 'key', `forget_at_ms < $1 and ${isFeeOver}`, [nowMs]));
    await this.#repeat(removal('payments', 'key', `state = 'reserved' and leased_until_ms <= $1`, [oldMs]));
    await this.#repeat(removal('answers', 'number', IS_OLD_ANSWER, [nowMs]));
    await this.#database.write({ guard: { sql: END_WATCH, values: [nowMs - watchMs] } });
    await this.#repeat(removal('debits', 'number', IS_OLD_DEBIT, [oldMs]));
    const at = new Date(nowMs - journalKeepMs).toISOString();
    await this.#repeat(removal('journal_entries', 'id', 'at < $1', [at]));
    await this.#options.releaseLapsed();
    await this.#removeWallets(oldMs);
    await this.#removeExcess();
  }

  async #repeat(guard: Statement): Promise<void> {
    while (await this.#database.write({ guard })) {
      // Others come in between.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** A wallet that nothing was granted, and nothing refers to. Any other is not looked at again before its next payment. */
  async #removeWallets(idleMs: number): Promise<void> {
    const isIdle = 'idle_since_ms <= $1';
    await this.#repeat(removal('wallets', 'id', `${isIdle} and granted_micro_usdc = 0 and ${NO_REFERENCE}`, [idleMs]));
    const sql = `update wallets set idle_since_ms = null where ${isIdle} and {in time} returning id`;
    await this.#database.write({ guard: { sql, values: [idleMs] } });
  }

  async #removeExcess(): Promise<void> {
    const [excess] = await this.#database.report({ sql: EXCESS, values: [this.#options.answerBytes] });
    const number = excess?.number ?? null;
    if (number !== null) await this.#repeat(removal('answers', 'number', 'number <= $1', [number]));
  }
}
