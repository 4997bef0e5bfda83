import { setImmediate as turn } from 'node:timers/promises';
import { Background, type Repeated } from '../../background.ts';
import { runAll } from '../../closing.ts';
import { TIMES } from '../../times.ts';
import { monotonicMs } from '../clock.ts';
import { jumpOf, mayDelete } from './books-clock.ts';
import { IS_UNFINISHED, isLapsedPayment } from './conditions.ts';
import { type AtomicWrite, type ClockRow, type Database, only, type SqlValue } from './database.ts';

/** Limits of the stored rows. */
interface RetentionOptions {
  /** How long journal entries are stored, in milliseconds. */
  readonly journalKeepMs: number;
  /** The most bytes of all stored answers together. */
  readonly answerBytes: number;
  /** Releases lapsed holds. */
  readonly releaseLapsed: () => Promise<void>;
}

const EVERY_MS = 30_000;
/**
 * The longest time of a batch, in milliseconds. If a batch takes longer, the next one is smaller, so that other work of this thread or of
 * the server hardly waits.
 */
const BATCH_MS = 10;
const LEAST_ROWS = 50;
const FIRST_ROWS = 100;
const MOST_ROWS = 1_000;
const MOST_SUMMED = 10_000;
/** How long one part of a round may take, in milliseconds. It leaves the rest to the next round. */
const PART_MS = 20_000;

const REFERENCES = ['payments', 'debits', 'journal_entries'];
const IS_REFERENCED = REFERENCES.map((table) => `exists (select 1 from ${table} where wallet_id = wallets.id)`);
const IS_KEPT = `granted_micro_usdc > 0 or ${IS_REFERENCED.join(' or ')}`;

/**
 * The oldest entries, without those that are dated after now, because another node's clock is ahead or this one was corrected. Such
 * entries are as old as their neighbours.
 */
const OLDEST_ENTRIES = `select id, at from journal_entries where id > (select pruned_id from books) and at <= $2
  order by id limit $1`;

/**
 * SQL for the time since which the journal is complete: that of the first remaining entry, or now if none remains. Deleted entries were
 * appended before it, even if a wrong clock gave them a later time.
 */
const COMPLETE_SINCE = `(select max(at) from (select complete_since as at from books
  union all select coalesce((select at from journal_entries where id > $2 and at <= $3 order by id limit 1), $3)) as times)`;

/**
 * Returns the write that deletes the oldest entries up to an id and adds their sums to the opening entries of their wallets. Only one node
 * succeeds.
 */
const prune = (from: number, to: number, now: string): AtomicWrite => ({
  condition: {
    sql: `update books set pruned_id = $2, complete_since = ${COMPLETE_SINCE}
  where id = 1 and pruned_id = $1 and {in time} returning id`,
    values: [from, to, now],
  },
  changes: [
    {
      sql: `insert into openings (wallet_id, at, granted_micro_usdc, spent_micro_usdc) select wallet_id, max(at),
  sum(case when kind = 'grant' then micro_usdc else 0 end), sum(case when kind = 'debit' then micro_usdc else 0 end)
  from journal_entries where id > $1 and id <= $2 and kind in ('grant', 'debit') and {condition holds} group by wallet_id
  on conflict (wallet_id) do update set at = excluded.at,
  granted_micro_usdc = openings.granted_micro_usdc + excluded.granted_micro_usdc,
  spent_micro_usdc = openings.spent_micro_usdc + excluded.spent_micro_usdc`,
      values: [from, to],
    },
    { sql: 'delete from journal_entries where id > $1 and id <= $2 and {condition holds}', values: [from, to] },
  ],
});

/**
 * SQL that sums the bytes of a batch of answers, newest first. `$1`: where the last batch ended. `$2`: the bytes so far. `$3`: the limit.
 * Also returns the first answer beyond the limit.
 */
const NEWEST_ANSWERS = `select cast($2 + sum(bytes) as bigint) as bytes, min(number) as oldest,
  max(case when $2 + total > $3 then number end) as excess from (
    select number, bytes, sum(bytes) over (order by number desc) as total from (
      select number, bytes from answers where number < $1 order by number desc limit ${MOST_SUMMED}) as newest) as summed`;

/** Throws if the clock has jumped, because the ages of rows are then unknown. */
function assertNoJump(clocks: ClockRow): void {
  if (jumpOf(clocks) === 0) return;
  throw new Error(
    `the wall clock is ${Math.round(jumpOf(clocks) / 60_000)} minutes off the books' clock, so nothing is deleted; ` +
      'correct it, or accept it with "asset-gateway sales clock --accept"',
  );
}

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

  /** Deletes the rows that have expired. If one part fails, the other parts still run, and then this rejects. */
  async prune(): Promise<void> {
    const clocks = await this.#database.clock();
    const nowMs = Math.floor(this.#database.now());
    // Debits, uncharged calls and idle wallets are stored for as long as answers.
    const oldMs = nowMs - TIMES.answerMs;
    const byAge = [
      // A fee counts against the budget for an hour, so its payment must stay for that hour.
      () => this.#remove('payments', 'forget_at_ms', nowMs - 1, 'fee_until_ms > $2'),
      () => this.#removeLapsed(oldMs),
      () => this.#remove('answers', 'until_ms', nowMs),
      () => this.#remove('debits', 'captured_at_ms', oldMs, 'watch_from_ms is not null'),
      () => this.#remove('uncharged_calls', 'at_ms', oldMs),
      () => this.#remove('fees', 'until_ms', nowMs),
      () => this.#pruneJournal(),
      () => this.#remove('wallets', 'idle_since_ms', oldMs, IS_KEPT),
    ];
    const always = [() => assertNoJump(clocks), this.#options.releaseLapsed, () => this.#removeExcess()];
    await runAll([...always, ...(mayDelete(clocks) ? byAge : [])], 'several parts of retention have failed');
  }

  /** Runs batches until one returns false. `rows`: the size of a batch. */
  async #inBatches(batch: (rows: number) => Promise<boolean>): Promise<void> {
    const startedMs = monotonicMs();
    let rows = FIRST_ROWS;
    for (let nowMs = startedMs; nowMs - startedMs < PART_MS; nowMs = monotonicMs()) {
      if (!(await batch(rows))) return;
      const isSlow = monotonicMs() - nowMs > BATCH_MS;
      rows = isSlow ? Math.max(LEAST_ROWS, rows >> 1) : Math.min(MOST_ROWS, rows << 1);
      // Lets other work run.
      await turn();
    }
  }

  /**
   * Deletes rows whose indexed time is at or before `beforeMs`. Each batch begins where the last one ended, because the index may still
   * hold deleted rows. `unless`: a condition for rows to keep, in which `$2` is the time. Wallets come last, because
   * other rows refer to them.
   */
  async #remove(table: string, column: string, beforeMs: number, unless = 'false'): Promise<void> {
    const isInBatch = `${column} > $1 and ${column} <= $2`;
    const find = `select ${column} as last from ${table} where ${isInBatch} order by ${column} limit 1 offset $3`;
    const remove = `delete from ${table} where ${isInBatch} and coalesce(${unless}, false) = false and {in time} returning 1 as id`;
    // A wallet that is kept is not checked again until its next payment.
    const keep = `update ${table} set ${column} = null where ${isInBatch} and {in time} returning 1 as id`;
    let fromMs = -1;
    await this.#inBatches(async (rows) => {
      const [found] = await this.#database.read({ sql: find, values: [fromMs, beforeMs, rows] });
      const toMs = found ? Number(found.last) : beforeMs;
      await this.#database.write({ condition: { sql: remove, values: [fromMs, toMs] } });
      if (table === 'wallets') await this.#database.write({ condition: { sql: keep, values: [fromMs, toMs] } });
      fromMs = toMs;
      return found !== undefined;
    });
  }

  /** Deletes reservations whose leases had ended at this time. A process that dies leaves few, so one batch suffices. */
  async #removeLapsed(endedMs: number): Promise<void> {
    const sql = `delete from payments where ${IS_UNFINISHED} and ${isLapsedPayment('$1')} and {in time} returning 1 as id`;
    await this.#database.write({ condition: { sql, values: [endedMs] } });
  }

  /**
   * Deletes the oldest journal entries, in the order of their numbers. A wrong clock may have dated some, even in the future, so their
   * times do not order them.
   */
  async #pruneJournal(): Promise<void> {
    const wallMs = this.#database.wallAt(this.#database.now());
    const now = new Date(wallMs).toISOString();
    const cutoff = new Date(wallMs - this.#options.journalKeepMs).toISOString();
    await this.#inBatches(async (rows) => {
      const [books] = await this.#database.read({ sql: 'select pruned_id from books' });
      const oldest = await this.#database.read({ sql: OLDEST_ENTRIES, values: [rows, now] });
      const young = oldest.findIndex(({ at }) => String(at) >= cutoff);
      const last = oldest.at(young < 0 ? oldest.length - 1 : young - 1);
      if (!last || young === 0) return false;
      await this.#database.write(prune(Number(books?.pruned_id), Number(last.id), now));
      return young < 0 && oldest.length === rows;
    });
  }

  /** Deletes the oldest answers beyond the limit of bytes. */
  async #removeExcess(): Promise<void> {
    const { answerBytes } = this.#options;
    const sum = async (number: SqlValue, bytes: SqlValue) =>
      only(await this.#database.report({ sql: NEWEST_ANSWERS, values: [number, bytes, answerBytes] }));
    let part = await sum(Number.MAX_SAFE_INTEGER, 0);
    while (part.oldest != null && part.excess === null) part = await sum(part.oldest, part.bytes ?? null);
    if (part.excess != null) await this.#remove('answers', 'number', Number(part.excess));
  }
}
