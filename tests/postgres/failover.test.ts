import { beforeAll, expect, it } from 'vitest';
import { sleep } from '../budget/history.ts';
import { noteTime } from '../kit/event-loop.ts';
import { inSuite } from '../kit/in-suite.ts';
import { type PostgresServer, postgresSuite, runPostgresProgram, startPostgres } from '../kit/postgres.ts';
import { startSellingGateway } from '../kit/selling-gateway.ts';
import { until } from '../payments/fault-buyer.ts';
import { openLoad } from './load.ts';

const [WARM_MS, DOWN_MS] = [1_000, 1_500];

noteTime();

postgresSuite('PostgreSQL with a synchronous standby', () => {
  const primary = inSuite(startPostgres);
  const standby = inSuite(() =>
    startPostgres({
      prepare: (data) => {
        const words = ['-D', data, '-d', primary.url(), '-R', '-X', 'stream', '--checkpoint=fast', '--no-sync'];
        runPostgresProgram('pg_basebackup', words);
      },
    }),
  );
  let name: string;
  /** A DATABASE_URL with several hosts: the first writable one is used. */
  const urlOf = (...servers: readonly PostgresServer[]) =>
    `postgres://postgres@${servers.map(({ port }) => `127.0.0.1:${port}`).join()}/${name}`;

  beforeAll(async () => {
    name = await primary.createDatabase();
    await primary.query(`alter system set synchronous_standby_names = '*'`);
    await primary.query('select pg_reload_conf()');
    await until(async () => {
      const [row] = await primary.query('select sync_state from pg_stat_replication');
      return row?.sync_state === 'sync';
    });
  });
  const load = inSuite(() => openLoad(urlOf(primary, standby), () => standby.url(name)));

  it('a gateway whose URL names the standby first serves from the primary', async () => {
    const gateway = await startSellingGateway({ DATABASE_URL: urlOf(standby, primary) });
    expect(gateway.logLines.join('')).not.toContain('PostgreSQL');
    await gateway.stop();
  });

  it('fails over: 503 meanwhile, 200 within two seconds after, one charge each', { timeout: 120_000 }, async () => {
    load.start();
    await sleep(WARM_MS);
    await primary.kill();
    const downMs = performance.now();
    await sleep(DOWN_MS);
    const endMs = performance.now();
    expect(await standby.query('select pg_promote() as is_promoted')).toEqual([{ is_promoted: true }]);
    await load.expectServedAfter(performance.now());
    load.expectRefused(downMs, endMs);
    await sleep(WARM_MS);
    await load.finish();
    await load.expectOneChargeEach();
  });
});
