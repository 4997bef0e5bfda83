import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { renameSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { sqliteIn } from '../../packages/gateway/src/stores/sql/sqlite.ts';
import { endsAfterTests } from '../kit/ends.ts';
import { makeFolder } from '../kit/folder.ts';
import { startSellingGateway } from '../kit/test-gateway.ts';
import { callOf, paymentFor, sendPaid } from '../payments/calls.ts';
import { until } from '../payments/fault-buyer.ts';
import { openWallet } from '../payments/wallets.ts';

const CALL = callOf('rpc.mainnet.helius.getBalance');

async function openShop() {
  const dataDir = makeFolder();
  const gateway = await startSellingGateway({ METRICS_PORT: '0' }, { dataDir });
  const wallet = await openWallet(gateway.solana);
  const buy = async () => (await sendPaid(gateway, CALL, await paymentFor(gateway, CALL, wallet))).status;
  return { gateway, dataDir, buy, transfers: () => gateway.solana.mainnet.transfers.length };
}

describe('X8 a running gateway with SQLite', () => {
  it.each([
    ['gateway.db', 'is deleted'],
    ['gateway.db-wal', 'is replaced'],
    ['gateway.db.lock', 'is deleted'],
  ])('whose file %s %s sells nothing, says so, and is not ready, until the file is back', async (name) => {
    const { gateway, dataDir, buy, transfers } = await openShop();
    expect(await buy()).toBe(200);
    const path = `${dataDir}/${name}`;
    renameSync(path, `${path}.away`);
    expect(await buy()).toBe(503);
    expect(transfers()).toBe(1);
    await until(() => gateway.logLines.some((line) => line.includes(`${name} was deleted or replaced`)));
    const ready = () => fetch(`${gateway.url}/readyz`).then(({ status }) => status);
    expect(await ready()).toBe(503);
    renameSync(`${path}.away`, path);
    await until(async () => (await ready()) === 200);
    expect(await buy()).toBe(200);
    expect(transfers()).toBe(2);
    await gateway.stop();
  });
});

/** Holds the write lock of a database in another process until it is killed. */
async function lockElsewhere(file: string) {
  const code = `import Connection from 'libsql'; const c = new Connection(process.argv[1]); c.exec('begin immediate'); console.log('locked'); setInterval(() => undefined, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code, file], {
    stdio: ['ignore', 'pipe', 2],
  });
  const release = endsAfterTests(async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  await once(child.stdout as NodeJS.EventEmitter, 'data');
  return { release };
}

describe('while another process holds the write lock of its database, a gateway', () => {
  it('answers other requests as often as before, refuses paid ones within their time, and sells again after it', async () => {
    const { gateway, dataDir, buy, transfers } = await openShop();
    expect(await buy()).toBe(200);
    /** How many requests are answered while a task runs, for each second that it takes. */
    const rateDuring = async (task: () => Promise<unknown>) => {
      const startedMs = performance.now();
      let [isOver, answered] = [false, 0];
      const running = task().finally(() => {
        isOver = true;
      });
      for (; !isOver; answered++) await (await fetch(`${gateway.url}/healthz`)).arrayBuffer();
      await running;
      return (answered * 1_000) / (performance.now() - startedMs);
    };
    const before = await rateDuring(() => pause(1_500));
    const { release } = await lockElsewhere(sqliteIn(dataDir));
    const during = await rateDuring(async () => expect(await buy()).toBe(503));
    expect(transfers()).toBe(1);
    // A thread that waits for the lock would answer hardly anything.
    expect(during).toBeGreaterThan(before / 10);
    await release();
    await until(async () => (await buy()) === 200);
    expect(transfers()).toBe(2);
    await gateway.stop();
  });
});
