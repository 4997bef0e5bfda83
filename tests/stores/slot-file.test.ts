import { rmSync } from 'node:fs';
import { expect, it } from 'vitest';
import { SlotFile } from '../../packages/gateway/src/budget/slot-file.ts';
import type { Budget } from '../../packages/gateway/src/budget/store.ts';
import { openDatabase } from '../../packages/gateway/src/stores/database.ts';
import { FreeSpace } from '../../packages/gateway/src/stores/free-space.ts';
import { makeFolder } from '../kit/folder.ts';

const budget: Budget = { key: 'b', limit: 30, windowMs: 60_000, inFlightMs: 10_000 };

it('a file of slots forgets those that are over and keeps those that are held', async () => {
  const folder = makeFolder();
  const root = await openDatabase(folder);
  const startMs = Date.now();
  let nowMs = startMs;
  const open = () => new SlotFile(root, () => nowMs, new FreeSpace(folder));
  const slots = open();
  const onDisk = (): number => root.openDB({ name: 'slots' }).getCount();
  for (let second = 0; second < 1_000; second += 2) {
    nowMs = startMs + second * 1_000;
    await slots.keep(budget, { owner: `owner ${second}`, freesAtMs: nowMs + 70_000 });
  }
  expect(onDisk()).toBeLessThanOrEqual(100);
  const owners = open()
    .load()
    .get('b')
    ?.map(({ owner }) => owner);
  const held = Array.from({ length: 35 }, (_, index) => `owner ${998 - 2 * index}`);
  expect(owners).toEqual(expect.arrayContaining(held));
  await root.close();
  rmSync(folder, { recursive: true, force: true });
});
