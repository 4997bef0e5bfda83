import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sleep } from '../budget/history.ts';
import { freePort } from '../http/ports.ts';
import { noteTime } from '../kit/event-loop.ts';
import { makeFolder } from '../kit/folder.ts';
import { inSuite } from '../kit/in-suite.ts';
import { suiteWith } from '../kit/optional.ts';
import { askPostgres, type PostgresServer, postgresSuite, startPostgres } from '../kit/postgres.ts';
import { until } from '../payments/fault-buyer.ts';
import { type Load, openLoad } from './load.ts';

/** Fewer connections to the server than the gateway opens, so that its statements change connections all the time. */
const POOL_SIZE = 3;
const [RUN_MS, DOWN_MS] = [1_500, 1_500];

noteTime();

/** As docs/operating/postgresql.md says, and without a password. */
const settingsFor = (server: PostgresServer, port: number): string => `
[databases]
* = host=127.0.0.1 port=${server.port} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${POOL_SIZE}
server_login_retry = 1
`;

suiteWith('pgbouncer', 'with pgbouncer', (program) => {
  postgresSuite('PgBouncer in transaction mode, under wallets that buy and spend,', () => {
    const server = inSuite(startPostgres);
    let pooler: ChildProcess;
    let load: Load;
    let name: string;
    const folder = makeFolder();
    beforeAll(async () => {
      name = await server.createDatabase();
      const port = await freePort();
      const file = join(folder, 'pgbouncer.ini');
      writeFileSync(file, settingsFor(server, port));
      chmodSync(folder, 0o755);
      // It does not run as root.
      pooler = spawn(program, [file], { stdio: 'ignore', ...(process.getuid?.() === 0 && { uid: 65534, gid: 65534 }) });
      const url = `postgres://postgres@127.0.0.1:${port}/${name}`;
      await until(() =>
        askPostgres(url, 'select 1').then(
          () => true,
          () => false,
        ),
      );
      load = await openLoad(url, () => server.url(name));
    }, 120_000);
    afterAll(async () => {
      await load?.close();
      pooler.kill('SIGKILL');
      await once(pooler, 'exit');
      rmSync(folder, { recursive: true, force: true });
    });

    it('serves, refuses when the server is killed, and serves again: one charge each', {
      timeout: 120_000,
    }, async () => {
      load.start();
      await load.expectServedAfter(performance.now());
      await sleep(RUN_MS);
      const [row] = await server.query(`select count(*) as count from pg_stat_activity where datname = '${name}'`);
      expect(Number(row?.count)).toBeLessThanOrEqual(POOL_SIZE);
      await server.kill();
      const downMs = performance.now();
      await sleep(DOWN_MS);
      await load.expectRefused(downMs);
      await server.start();
      await load.expectServedAfter(performance.now());
      await load.finish();
      await load.expectOneChargeEach();
    });
  });
});
