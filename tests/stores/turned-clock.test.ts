import { describe, expect, it } from 'vitest';
import { PostgresDatabase } from '../../packages/gateway/src/stores/sql/postgres.ts';
import { SqliteDatabase, sqliteIn } from '../../packages/gateway/src/stores/sql/sqlite.ts';
import { makeFolder } from '../kit/folder.ts';
import { askPostgres, openPostgresDatabase, postgresSuite } from '../kit/postgres.ts';

const HOUR_MS = 3_600_000;
/** A process knows the server's clock as well as a reply is quick. */
const LATENCY_MS = 5_000;
const GUARD = { sql: `insert into wallets (cluster, address) select 'mainnet', $1 where {in time} returning id` };

describe('the clock of money in SQLite', () => {
  it('does not go back at a start, nor twice as far ahead at the next', async () => {
    const path = sqliteIn(makeFolder());
    let nowMs = Date.parse('2026-11-20T00:00:00Z');
    const open = () => new SqliteDatabase(path, { now: () => nowMs });
    const first = open();
    nowMs += HOUR_MS;
    await first.write({ guard: { ...GUARD, values: ['wallet'] } });
    const latestMs = first.now();
    await first.close();
    nowMs -= HOUR_MS;
    for (let start = 0; start < 2; start++) {
      const next = open();
      expect(next.now()).toBe(latestMs);
      await next.close();
    }
    nowMs += 5;
    const last = open();
    expect(last.now()).toBe(latestMs + 5);
    await last.close();
  });
});

postgresSuite('the clock of money in PostgreSQL', () => {
  it('does not go back with the clock of the server', async () => {
    const { url, drop } = await openPostgresDatabase();
    const now = async () => {
      const database = await PostgresDatabase.load({ url });
      await database.connect();
      const nowMs = database.now();
      await database.close();
      return nowMs;
    };
    const beforeMs = await now();
    await askPostgres(url, `update clock set last_ms = last_ms + ${HOUR_MS}`);
    const afterMs = await now();
    expect(afterMs).toBeGreaterThan(beforeMs + HOUR_MS - LATENCY_MS);
    expect(await now()).toBeGreaterThan(afterMs - LATENCY_MS);
    await drop();
  });
});
