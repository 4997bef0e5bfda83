import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openEmbedded } from '../../packages/gateway/src/stores/embedded.ts';
import { lockFolder } from '../../packages/gateway/src/stores/lock.ts';
import type { Budget } from '../../packages/gateway/src/stores/ports.ts';
import { makeFolder } from '../kit/folder.ts';
import { storeContract } from './contract.ts';

storeContract('embedded', async () => {
  const folder = makeFolder();
  let nowMs = Date.parse('2026-11-21T12:00:00Z');
  const { store, close } = await openEmbedded(folder, { now: () => nowMs });
  return {
    store,
    elapse: async (milliseconds) => {
      nowMs += milliseconds;
    },
    async stop() {
      await close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
});

async function inFolder(body: (folder: string) => Promise<void>): Promise<void> {
  const folder = makeFolder();
  await body(folder).finally(() => rmSync(folder, { recursive: true, force: true }));
}

describe('the embedded store after a restart', () => {
  const budget: Budget = { key: 'b', limit: 2, windowMs: 60_000, inFlightMs: 10_000 };

  it('R12 continues the log, and has another epoch', () =>
    inFolder(async (folder) => {
      const before = await openEmbedded(folder);
      await before.store.admit({ budget, owner: 'one', room: true });
      await before.store.admit({ budget, owner: 'two', room: true });
      before.store.complete(budget, 'one');
      await before.close();
      const after = await openEmbedded(folder);
      const verdict = await after.store.admit({ budget, owner: 'three', room: true });
      expect(verdict.kind).toBe('limited');
      expect(verdict.retryAfterMs).toBeGreaterThan(55_000);
      expect(verdict.retryAfterMs).toBeLessThanOrEqual(60_000);
      expect(after.store.epoch()).not.toBe(before.store.epoch());
      await after.close();
    }));

  it('keeps its secret', () =>
    inFolder(async (folder) => {
      const before = await openEmbedded(folder);
      await before.close();
      const after = await openEmbedded(folder);
      await after.close();
      expect(after.secret).toBe(before.secret);
      expect(after.secret.length).toBeGreaterThanOrEqual(32);
    }));

  it('does not keep the slots of a budget over a thousand', () =>
    inFolder(async (folder) => {
      const large: Budget = { ...budget, limit: 1_001 };
      const before = await openEmbedded(folder);
      await before.store.admit({ budget: large, owner: 'one', room: true });
      await before.close();
      const after = await openEmbedded(folder);
      expect(after.store.view(large).left).toBe(1_001);
      await after.close();
    }));
});

describe('the lock of a folder', () => {
  it('is held by one at a time, whatever path leads there', () =>
    inFolder(async (folder) => {
      const lock = await lockFolder(folder);
      expect(lock).toBeDefined();
      expect(await lockFolder(`${folder}/.`)).toBeUndefined();
      await lock?.close();
      const again = await lockFolder(folder);
      expect(again).toBeDefined();
      await again?.close();
    }));

  it('is seen from a process that shares nothing but the folder', () =>
    inFolder(async (folder) => {
      const elsewhere = createServer().listen(join(folder, 'gateway.lock'));
      await once(elsewhere, 'listening');
      expect(await lockFolder(folder)).toBeUndefined();
      elsewhere.close();
    }));

  it('is not held by a dead process', () =>
    inFolder(async (folder) => {
      const address = JSON.stringify(join(folder, 'gateway.lock'));
      const script = `require('net').createServer().listen(${address}, () => process.kill(process.pid, 'SIGKILL'))`;
      spawnSync(process.execPath, ['-e', script]);
      expect(existsSync(join(folder, 'gateway.lock'))).toBe(true);
      const lock = await lockFolder(folder);
      expect(lock).toBeDefined();
      await lock?.close();
    }));
});
