import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { open } from 'lmdb';
import { afterEach, expect, it } from 'vitest';
import { KeptAnswers } from '../../packages/gateway/src/payments/store/kept-answers.ts';
import { makeFolder } from '../kit/folder.ts';

const MOST_BYTES = 1_000;
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function openAnswers() {
  const folder = makeFolder();
  folders.push(folder);
  let nowMs = 1e12;
  const root = open({ path: join(folder, 'answers'), maxDbs: 8 });
  const answers = new KeptAnswers(root as never, () => nowMs++, MOST_BYTES);
  return { root, answers };
}

it('W5 an answer on its way to the disk can be read, and the oldest goes first, however full the store is', async () => {
  const { root, answers } = openAnswers();
  for (const key of ['first', 'second']) await answers.put({ key, text: 'x'.repeat(400), isFirst: true });
  const putting = answers.put({ key: 'third', text: 'x'.repeat(400), isFirst: true });
  answers.sweep(() => false);
  expect(answers.get('third', false)).toHaveLength(400);
  await putting;
  answers.sweep(() => false);
  expect(['first', 'second', 'third'].map((key) => answers.get(key, false)?.length)).toEqual([undefined, 400, 400]);
  await root.close();
});

it('the bound holds while answers are swept on their way to the disk', async () => {
  const { root, answers } = openAnswers();
  const keys = Array.from({ length: 60 }, (_, index) => `answer ${index}`);
  for (let at = 0; at < keys.length; at += 3) {
    const putting = keys.slice(at, at + 3).map((key) => answers.put({ key, text: 'x'.repeat(300), isFirst: true }));
    answers.sweep(() => false);
    await Promise.all(putting);
  }
  answers.sweep(() => false);
  const bytes = keys.reduce((sum, key) => sum + (answers.get(key, false)?.length ?? 0), 0);
  expect(bytes).toBeLessThanOrEqual(MOST_BYTES);
  await root.close();
});
