import { describe, expect, it } from 'vitest';
import { openMoney } from '../../packages/gateway/src/compose/money.ts';
import { ACCEPT_CLOCK, advance, jumpOf, mayDelete } from '../../packages/gateway/src/stores/sql/books-clock.ts';
import type { ClockRow, Database } from '../../packages/gateway/src/stores/sql/database.ts';
import { PostgresDatabase } from '../../packages/gateway/src/stores/sql/postgres.ts';
import { SqliteDatabase, sqliteIn } from '../../packages/gateway/src/stores/sql/sqlite.ts';
import { makeFolder } from '../kit/folder.ts';
import { JOURNAL_KEEP_MS, newPayment, settle } from '../kit/ledger.ts';
import { openPostgresDatabase, postgresSuite } from '../kit/postgres.ts';
import { until } from '../payments/fault-buyer.ts';

const [SECOND_MS, MINUTE_MS, HOUR_MS, DAY_MS] = [1_000, 60_000, 3_600_000, 86_400_000];
const START_MS = Date.parse('2026-11-20T00:00:00Z');
/** Longer than nothing is deleted after a step. */
const REST_MS = 20 * MINUTE_MS;

describe('the clocks after a time of the wall clock', () => {
  const at = (nowMs: number, wallMs = nowMs): ClockRow => ({ nowMs, wallMs, acceptedMs: 0, steppedMs: 0 });
  const last = at(START_MS);
  const back = at(START_MS, START_MS - 500 * DAY_MS);

  it.each([
    ['of a new database are the wall clock', at(0), START_MS, undefined, START_MS],
    ['go on with it', last, START_MS + SECOND_MS, START_MS + SECOND_MS, START_MS + SECOND_MS],
    ['do not go back with it', last, START_MS - DAY_MS, START_MS + SECOND_MS, START_MS + SECOND_MS],
    ['do not follow a jump of more than an hour', last, START_MS + DAY_MS, START_MS + SECOND_MS, START_MS + SECOND_MS],
    ['follow a step of less than an hour', last, START_MS + MINUTE_MS, START_MS + SECOND_MS, START_MS + MINUTE_MS],
    ['follow a start after a day', last, START_MS + DAY_MS, undefined, START_MS + DAY_MS],
    ['do not follow a start after a month', last, START_MS + 30 * DAY_MS, undefined, START_MS],
    ['do not go back at a start', last, START_MS - DAY_MS, undefined, START_MS],
    ['return to it when it has caught up', back, START_MS + 2 * HOUR_MS, START_MS + SECOND_MS, START_MS + 2 * HOUR_MS],
    ['do not follow it beyond', back, START_MS + 500 * DAY_MS, START_MS + SECOND_MS, START_MS + SECOND_MS],
  ])('%s', (_, row, wallMs, expectedMs, nowMs) => {
    expect(advance(row, wallMs, expectedMs)).toMatchObject({ nowMs, wallMs });
  });

  it('are the same after any steps of the wall clock that were undone', () => {
    let row = last;
    let passedMs = 0;
    const tick = (wrongMs: number) => {
      passedMs += SECOND_MS;
      row = advance(row, START_MS + passedMs + wrongMs, row.nowMs + SECOND_MS);
    };
    for (const wrongMs of [-500 * DAY_MS, 0, 500 * DAY_MS, 0, -10 * MINUTE_MS, 0, -2 * HOUR_MS, 0, 3 * HOUR_MS, 0]) {
      tick(wrongMs);
      tick(wrongMs);
      expect(row.nowMs).toBe(START_MS + passedMs);
      expect(jumpOf(row)).toBe(Math.abs(wrongMs) > HOUR_MS ? wrongMs : 0);
      expect(mayDelete(row)).toBe(false);
    }
    for (let elapsedMs = 0; elapsedMs < REST_MS; elapsedMs += SECOND_MS) tick(0);
    expect(mayDelete(row)).toBe(true);
  });

  it('of an accepted jump are followed, and deletion goes on after a rest', () => {
    let row: ClockRow = { ...at(START_MS, START_MS + 30 * DAY_MS), acceptedMs: 30 * DAY_MS };
    row = advance(row, row.wallMs + SECOND_MS, row.nowMs + SECOND_MS);
    expect(row).toMatchObject({ nowMs: START_MS + 30 * DAY_MS + SECOND_MS, acceptedMs: 0 });
    expect(jumpOf(row)).toBe(0);
  });
});

/** A database of money whose wall clock a test turns. */
interface Turned {
  readonly database: Database;
  /** Waits until the wall clock was read. */
  turned(): Promise<void>;
  close(): Promise<void>;
}

/** What a wall clock that is wrong, and is corrected, must not do. `open` starts a process whose wall clock is so far from the right one. */
function wrongClocks(open: () => Promise<(wrong: { ms: number }) => Promise<Turned>>): void {
  const entriesIn = async (database: Database) =>
    (await database.report({ sql: 'select at, micro_usdc from journal order by id' })).map(({ at }) => String(at));
  const sell = ({ database }: Turned, micros = 5) => {
    const { payments, close } = openMoney(database, JOURNAL_KEEP_MS);
    return settle({ payments }, newPayment({ creditMicros: micros })).finally(close);
  };
  /** Runs retention once. Answers its fault, if any. */
  const prune = async ({ database }: Turned) => {
    const { retention, close } = openMoney(database, JOURNAL_KEEP_MS);
    const fault = await retention.prune().then(
      () => undefined,
      (error: Error) => error.message,
    );
    await close();
    return fault;
  };
  const yearOf = (at: string | undefined) => at?.slice(0, 4);

  it('X1 keeps the journal and the books\u2019 clock when the wall clock was 500 days behind at a start', async () => {
    const wrong = { ms: 0 };
    const start = await open();
    const first = await start(wrong);
    const rightYear = yearOf(new Date(first.database.wallAt(first.database.now())).toISOString());
    await sell(first);
    const beforeMs = first.database.now();
    await first.close();

    wrong.ms = -500 * DAY_MS;
    const behind = await start(wrong);
    expect(behind.database.now()).toBeGreaterThan(beforeMs - MINUTE_MS);
    await sell(behind);
    expect(await prune(behind)).toMatch(/so nothing is deleted; .*asset-gateway sales clock --accept/);

    wrong.ms = 0;
    await behind.turned();
    const aheadMs = behind.database.now() - behind.database.wallAt(behind.database.now());
    expect(Math.abs(aheadMs)).toBeLessThan(MINUTE_MS);
    expect(await prune(behind)).toBeUndefined();
    await sell(behind);
    await behind.close();

    const right = await start(wrong);
    expect(await prune(right)).toBeUndefined();
    const entries = await entriesIn(right.database);
    expect(entries).toHaveLength(6);
    // Entries carry the wall clock of their time, right or wrong.
    expect(entries.map(yearOf).filter((year) => year === rightYear).length).toBeGreaterThanOrEqual(4);
    expect(Date.parse(entries[2] ?? '')).toBeLessThan(Date.parse(entries[0] ?? '') - 400 * DAY_MS);
    await right.close();
  });

  it('X1 deletes nothing while the wall clock is 500 days ahead, nor after it was corrected', async () => {
    const wrong = { ms: 0 };
    const start = await open();
    const process = await start(wrong);
    await sell(process);
    for (const ms of [500 * DAY_MS, 0, -500 * DAY_MS, 0]) {
      wrong.ms = ms;
      await process.turned();
      const fault = await prune(process);
      if (ms === 0) expect(fault).toBeUndefined();
      else expect(fault).toContain('so nothing is deleted');
      expect(await entriesIn(process.database)).toHaveLength(2);
      const sql = `select state from payments where forget_at_ms > ${Math.floor(process.database.now())}`;
      expect(await process.database.report({ sql })).toEqual([{ state: 'settled' }]);
    }
    await process.close();
  });

  it('X1 takes a wall clock that an operator has accepted', async () => {
    const wrong = { ms: 0 };
    const start = await open();
    const process = await start(wrong);
    const rightMs = process.database.now();
    wrong.ms = 30 * DAY_MS;
    await process.turned();
    expect(jumpOf(await process.database.clock())).toBeGreaterThan(29 * DAY_MS);
    expect(process.database.now()).toBeLessThan(rightMs + DAY_MS);
    await process.database.report(ACCEPT_CLOCK);
    await process.turned();
    expect(jumpOf(await process.database.clock())).toBe(0);
    expect(process.database.now()).toBeGreaterThan(rightMs + 29 * DAY_MS);
    await process.close();
  });
}

describe('a wrong clock of the machine, with SQLite', () => {
  wrongClocks(async () => {
    const path = sqliteIn(makeFolder());
    let passedMs = START_MS;
    return async (wrong) => {
      // A process knows the time of day from its start on by the monotonic clock.
      const offsetMs = wrong.ms;
      const options = { now: () => passedMs + offsetMs, wallNow: () => passedMs + wrong.ms };
      const database = new SqliteDatabase(path, options);
      const note = {
        sql: `insert into settings (name, value) select 'x', '' where false and {in time} returning name as id`,
      };
      return {
        database,
        async turned() {
          passedMs += 2 * SECOND_MS;
          await database.write({ condition: note });
        },
        close: () => database.close(),
      };
    };
  });
});

postgresSuite('a wrong clock of the server, with PostgreSQL', () => {
  wrongClocks(async () => {
    const { url } = await openPostgresDatabase();
    return async (wrong) => {
      const turned = () => Date.now() + wrong.ms;
      const database = await PostgresDatabase.load({ url, turned });
      await database.connect();
      return {
        database,
        async turned() {
          const last = await database.clock();
          await until(async () => {
            const clocks = await database.clock();
            return clocks !== last && Math.abs(clocks.wallMs - turned()) < MINUTE_MS;
          }, MINUTE_MS);
        },
        close: () => database.close(),
      };
    };
  });
});
