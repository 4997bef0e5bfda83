import { setImmediate as turn } from 'node:timers/promises';
import { Background, type Repeated } from '../../background.ts';
import { ANSWER_MS, type Database, type Value } from './database.ts';

/** How long and how much is stored. */
interface RetentionOptions {
  /** How long journal entries are stored, in milliseconds. */
  readonly journalKeepMs: number;
  /** The most bytes of all stored answers together. */
  readonly answerBytes: number;
  /** How long covered payments are watched, in milliseconds. */
  readonly watchMs: number;
  /** Releases lapsed holds. */
  readonly releaseLapsed: () => Promise<void>;
}

const EVERY_MS = 30_000;
const MOST_AT_ONCE = 500;

/** Rows expire about in the order of their numbers, so rows after the first unexpired one are not read. */
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

/** The newest answer beyond the limit, counted from the newest on. */
const EXCESS = `select max(number) as number from (
  select number, sum(bytes) over (order by number desc) as total from answers) as summed where total > $1`;

/** Deletes expired rows in small batches, on any number of nodes. */
export class Retention {
  readonly #database: Database;
  readonly #options: RetentionOptions;
  readonly #pruning: Repeated;

  constructor(database: Database, options: RetentionOptions, background = new Background()) {
    this.#database = database;
    this.#options = options;
    this.#pruning = background.every('retention', EVERY_MS, () => this.prune());
  }

  close(): Promise<void> {
    return this.#pruning.close();
  }

  /** Deletes what has expired now. */
  async prune(): Promise<void> {
    const nowMs = Math.floor(this.#database.now());
    const { journalKeepMs, watchMs } = this.#options;
    // Debits and idle wallets are stored as long as answers.
    const oldMs = nowMs - ANSWER_MS;
    const isFeeOver = '(fee_until_ms is null or fee_until_ms <= $1)';
    await this.#remove('payments', 'key', `forget_at_ms < $1 and ${isFeeOver}`, [nowMs]);
    await this.#remove('payments', 'key', `state = 'reserved' and leased_until_ms <= $1`, [oldMs]);
    await this.#remove('answers', 'number', IS_OLD_ANSWER, [nowMs]);
    await this.#database.write({ guard: { sql: END_WATCH, values: [nowMs - watchMs] } });
    await this.#remove('debits', 'number', IS_OLD_DEBIT, [oldMs]);
    const at = new Date(nowMs - journalKeepMs).toISOString();
    await this.#remove('journal_entries', 'id', 'at < $1', [at]);
    await this.#options.releaseLapsed();
    await this.#removeWallets(oldMs);
    await this.#removeExcess();
  }

  async #remove(table: string, key: string, condition: string, values: readonly Value[]): Promise<void> {
    // The condition is there twice: PostgreSQL checks it again for a row that changed meanwhile, but not the subquery.
    const sql = `delete from ${table} where ${key} in (select ${key} from ${table} where ${condition} limit ${MOST_AT_ONCE})
  and ${condition} and {in time} returning ${key} as id`;
    // Lets other work run between batches.
    while (await this.#database.write({ guard: { sql, values } })) await turn();
  }

  /** Deletes idle wallets without grants and references. Other idle wallets are not checked again before their next payment. */
  async #removeWallets(idleMs: number): Promise<void> {
    const isIdle = 'idle_since_ms <= $1';
    await this.#remove('wallets', 'id', `${isIdle} and granted_micro_usdc = 0 and ${NO_REFERENCE}`, [idleMs]);
    const sql = `update wallets set idle_since_ms = null where ${isIdle} and {in time} returning id`;
    await this.#database.write({ guard: { sql, values: [idleMs] } });
  }

  async #removeExcess(): Promise<void> {
    const [excess] = await this.#database.report({ sql: EXCESS, values: [this.#options.answerBytes] });
    const number = excess?.number ?? null;
    if (number !== null) await this.#remove('answers', 'number', 'number <= $1', [number]);
  }
}
