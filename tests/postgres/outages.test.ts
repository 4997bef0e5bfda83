import { expect, it } from 'vitest';
import { sleep } from '../budget/history.ts';
import { noteTime } from '../kit/event-loop.ts';
import { inSuite } from '../kit/in-suite.ts';
import { postgresSuite, startPostgres } from '../kit/postgres.ts';
import { isFull, roundsOnEach } from '../kit/rounds.ts';
import { openLoad } from './load.ts';

const [WARM_MS, DOWN_MS, FROZEN_MS, TERMINATED_MS] = [1_000, 2_000, isFull ? 10_000 : 3_000, 3_000];
const TERMINATE = `select count(pg_terminate_backend(pid)) as ended from pg_stat_activity where application_name = 'asset-gateway'`;

noteTime();

postgresSuite('PostgreSQL, under ten wallets that buy and spend,', () => {
  const server = inSuite(startPostgres);
  const load = inSuite(async () => openLoad(server.url(await server.createDatabase())));

  /** Makes the server unusable under load; afterwards each request has been answered and charged once. */
  async function during(fault: () => Promise<void>): Promise<void> {
    load.start();
    await sleep(WARM_MS);
    await fault();
    await sleep(WARM_MS);
    await load.finish();
    await load.expectOneChargeEach();
  }

  it('is killed and started: 503 meanwhile, 200 within two seconds, one charge each', {
    timeout: 1_200_000,
  }, async () => {
    for (let round = 0; round < roundsOnEach(20); round++) {
      await during(async () => {
        await server.kill();
        const downMs = performance.now();
        await sleep(DOWN_MS);
        const endMs = performance.now();
        await server.start();
        await load.expectServedAfter(performance.now());
        load.expectRefused(downMs, endMs);
      });
    }
  });

  it('is frozen and thawed: 503 meanwhile, 200 within two seconds, one charge each', { timeout: 120_000 }, async () => {
    await during(async () => {
      server.freeze();
      const downMs = performance.now();
      await sleep(FROZEN_MS);
      const endMs = performance.now();
      server.thaw();
      await load.expectServedAfter(performance.now());
      load.expectRefused(downMs, endMs);
    });
  });

  it('ends its connections again and again: one charge each', { timeout: 120_000 }, async () => {
    await during(async () => {
      let ended = 0;
      for (const endMs = performance.now() + TERMINATED_MS; performance.now() < endMs; await sleep(100)) {
        const [row] = await server.query(TERMINATE);
        ended += Number(row?.ended);
      }
      expect(ended).toBeGreaterThan(10);
      await load.expectServedAfter(performance.now());
    });
  });
});
