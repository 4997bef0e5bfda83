import { beforeAll, expect, it } from 'vitest';
import { sleep } from '../budget/history.ts';
import { noteTime } from '../kit/event-loop.ts';
import { inSuite } from '../kit/in-suite.ts';
import { type PostgresServer, postgresSuite, runPostgresProgram, startPostgres } from '../kit/postgres.ts';
import { isFull, roundsOnEach } from '../kit/rounds.ts';
import { startSellingGateway } from '../kit/test-gateway.ts';
import { until } from '../payments/fault-buyer.ts';
import { openLoad } from './load.ts';

const [WARM_MS, DOWN_MS, FROZEN_MS, TERMINATED_MS] = isFull
  ? [1_000, 2_000, 10_000, 3_000]
  : [500, 1_500, 2_000, 1_500];
const TERMINATE = `select count(pg_terminate_backend(pid)) as ended from pg_stat_activity where application_name = 'asset-gateway'`;

noteTime();

postgresSuite('PostgreSQL with a standby, under wallets that buy and spend,', suite, { timeout: 1_200_000 });

function suite(): void {
  const primary = inSuite(startPostgres);
  const standby = inSuite(() =>
    startPostgres({
      prepare: (data) => {
        const words = ['-D', data, '-d', primary.url(), '-R', '-X', 'stream', '--checkpoint=fast', '--no-sync'];
        runPostgresProgram('pg_basebackup', words);
      },
    }),
  );
  let [name, booksIn]: [string, PostgresServer] = ['', primary];
  beforeAll(async () => {
    name = await primary.createDatabase();
  });
  /** A DATABASE_URL with several hosts: the first writable one is used. */
  const urlOf = (...servers: readonly PostgresServer[]) =>
    `postgres://postgres@${servers.map(({ port }) => `127.0.0.1:${port}`).join()}/${name}`;
  const load = inSuite(() => openLoad(urlOf(primary, standby), () => booksIn.url(name)));

  /** Under load the fault makes the server unusable and `mend` usable; afterwards each request has been answered and charged once. */
  async function during(fault: () => unknown, downMs: number, mend: () => unknown): Promise<void> {
    load.start();
    await sleep(WARM_MS);
    await fault();
    const sinceMs = performance.now();
    await sleep(downMs);
    await load.expectRefused(sinceMs);
    await mend();
    await load.expectServedAfter(performance.now());
    await sleep(WARM_MS);
    await load.finish();
    await load.expectOneChargeEach();
  }

  it('a gateway whose URL names the standby first serves from the primary', async () => {
    const gateway = await startSellingGateway({ DATABASE_URL: urlOf(standby, primary) });
    expect(gateway.logLines.join('')).not.toContain('PostgreSQL');
    await gateway.stop();
  });

  it('is killed and started: 503 meanwhile, 200 within two seconds, one charge each', async () => {
    for (let round = 0; round < roundsOnEach(20); round++) await during(primary.kill, DOWN_MS, primary.start);
  });

  it('is frozen and thawed: 503 meanwhile, 200 within two seconds, one charge each', () =>
    during(primary.freeze, FROZEN_MS, primary.thaw));

  it('ends its connections again and again: one charge each', async () => {
    load.start();
    await sleep(WARM_MS);
    let ended = 0;
    for (const endMs = performance.now() + TERMINATED_MS; performance.now() < endMs; await sleep(100)) {
      const [row] = await primary.query(TERMINATE);
      ended += Number(row?.ended);
    }
    expect(ended).toBeGreaterThan(10);
    await load.expectServedAfter(performance.now());
    await load.finish();
    await load.expectOneChargeEach();
  });

  it('fails over to a synchronous standby: 503 meanwhile, 200 within two seconds after, one charge each', async () => {
    await primary.query(`alter system set synchronous_standby_names = '*'`);
    await primary.query('select pg_reload_conf()');
    await until(async () => {
      const [row] = await primary.query('select sync_state from pg_stat_replication');
      return row?.sync_state === 'sync';
    });
    await during(primary.kill, DOWN_MS, async () => {
      expect(await standby.query('select pg_promote() as is_promoted')).toEqual([{ is_promoted: true }]);
      booksIn = standby;
    });
  });
}
