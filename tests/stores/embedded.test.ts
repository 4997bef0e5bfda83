import { rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Budget } from '../../packages/gateway/src/budget/store.ts';
import { openEmbedded } from '../../packages/gateway/src/compose/embedded.ts';
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

async function inFolder(body: (folder: string) => Promise<void>): Promise<void> {
  const folder = makeFolder();
  await body(folder).finally(() => rmSync(folder, { recursive: true, force: true }));
}

describe('the embedded store after a restart', () => {
  const budget: Budget = { key: 'b', limit: 2, windowMs: 60_000, inFlightMs: 10_000 };

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
