import { writeFileSync } from 'node:fs';
import { it } from 'vitest';
import { openBrowser } from '../kit/chromium.ts';
import { placesOfRun } from '../kit/folder.ts';
import { findProgram } from '../kit/optional.ts';
import { openPostgresDatabase, startPostgres } from '../kit/postgres.ts';
import { startRedis } from '../kit/redis.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { startProgram } from './program.ts';

const told = process.env.ENDLESS_STARTED;

// For ends.full.test.ts, which ends the run.
it.runIf(told)('starts programs and blocks its process for ever, despite any signal', async () => {
  if (findProgram('postgres')) await Promise.all([openPostgresDatabase(), startPostgres()]);
  if (findProgram('redis-server')) await startRedis();
  if (findProgram('chromium')) await openBrowser();
  const { url } = await startTestGateway();
  await startProgram({ PORT: '0', DATA_DIR: placesOfRun().memory, TOKENS_API_KEY: 'key', TOKENS_API_BASE_URL: url })
    .url;
  process.on('SIGTERM', () => undefined);
  process.on('SIGINT', () => undefined);
  writeFileSync(told ?? '', JSON.stringify(placesOfRun()));
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});
