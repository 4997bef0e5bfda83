import { copyFileSync, rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { slotsIn } from '../../packages/gateway/src/budget/slot-file.ts';
import type { Budget } from '../../packages/gateway/src/budget/store.ts';
import { openEmbedded } from '../../packages/gateway/src/compose/embedded.ts';
import { databaseIn } from '../../packages/gateway/src/stores/database.ts';
import { makeFolder } from '../kit/folder.ts';
import { storeContract } from './contract.ts';
import { ROOM } from './room.ts';

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

async function inFolder<Result>(body: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = makeFolder();
  return await body(folder).finally(() => rmSync(folder, { recursive: true, force: true }));
}

describe('the embedded store after a restart', () => {
  const budget: Budget = { key: 'b', limit: 2, windowMs: 60_000, inFlightMs: 10_000 };

  /** How long a slot is waited for by a gateway that starts from what another one has on disk now. */
  const waitAfterKill = (folder: string): Promise<number> =>
    inFolder(async (copy) => {
      for (const fileIn of [databaseIn, slotsIn]) copyFileSync(fileIn(folder), fileIn(copy));
      const { store, close } = await openEmbedded(copy);
      const { retryAfterMs } = await store.admit({ budget, owner: 'three', room: ROOM });
      await close();
      return retryAfterMs ?? 0;
    });

  it('R12 continues the log, and has another epoch', () =>
    inFolder(async (folder) => {
      const before = await openEmbedded(folder);
      await before.store.admit({ budget, owner: 'one', room: ROOM });
      await before.store.admit({ budget, owner: 'two', room: ROOM });
      before.store.complete(budget, 'one');
      await before.close();
      const after = await openEmbedded(folder);
      const verdict = await after.store.admit({ budget, owner: 'three', room: ROOM });
      expect(verdict.kind).toBe('limited');
      expect(verdict.retryAfterMs).toBeGreaterThan(55_000);
      expect(verdict.retryAfterMs).toBeLessThanOrEqual(60_000);
      expect(after.store.epoch()).not.toBe(before.store.epoch());
      await after.close();
    }));

  it('R12 holds a slot for as long as its call may have lasted, or one window from its end', () =>
    inFolder(async (folder) => {
      const running = await openEmbedded(folder);
      for (const owner of ['one', 'two']) await running.store.admit({ budget, owner, room: ROOM });
      expect(await waitAfterKill(folder)).toBeGreaterThan(60_000);
      running.store.complete(budget, 'one');
      expect(await waitAfterKill(folder)).toBeLessThanOrEqual(60_000);
      await running.close();
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
      await before.store.admit({ budget: large, owner: 'one', room: ROOM });
      await before.close();
      const after = await openEmbedded(folder);
      expect(after.store.view(large).left).toBe(1_001);
      await after.close();
    }));
});
