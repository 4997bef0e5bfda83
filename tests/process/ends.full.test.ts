import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { descendantsOf, type Running, readProcesses, titleOf } from '../../scripts/processes.mjs';
import { startCommand } from '../kit/command.ts';
import { makeFolder, type Places } from '../kit/folder.ts';
import { findProgram } from '../kit/optional.ts';

const LONGEST_MS = 120_000;
const COMMAND = ['npm', 'test', '--silent', '--', 'tests/process/endless.full.test.ts'];
/** What the run starts if it is installed, by a part of its command. */
const PROGRAMS = { postgres: 'postgres', 'redis-server': 'redis-server', chromium: 'type=zygote' };
const isWorker = ({ id }: Running): boolean => /workers\/forks/.test(titleOf(id));

/** A run of the tests that never ends, when all that it starts is running. */
async function startEndless() {
  const told = join(makeFolder(), 'started.json');
  const env = { ...process.env, TEST_FOLDERS: undefined, REQUIRE_ALL: undefined, ENDLESS_STARTED: told };
  const { child, ended } = startCommand(COMMAND, { env, detached: true });
  await expect.poll(() => existsSync(told), { timeout: LONGEST_MS, interval: 200 }).toBe(true);
  const npm = child.pid ?? 0;
  const started = descendantsOf([npm]);
  const vitest = started.find(({ id }) => descendantsOf([id]).some((each) => each.parent === id && isWorker(each)));
  return { npm, vitest: vitest?.id ?? 0, started, ended, folders: JSON.parse(readFileSync(told, 'utf8')) as Places };
}

/** Those of these processes that still run. */
function runningOf(started: readonly Running[]): Running[] {
  const processes = readProcesses();
  return started.filter(({ id, start }) => processes.get(id)?.start === start);
}

it.each<[string, (run: { readonly npm: number; readonly vitest: number }) => number]>([
  ['npm', ({ npm }) => npm],
  ['vitest', ({ vitest }) => vitest],
  ['its process group', ({ npm }) => -npm],
])('after SIGKILL of %s nothing of a run is left', { timeout: 3 * LONGEST_MS }, async (_, target) => {
  const { started, ended, folders, ...run } = await startEndless();
  const titles = started.map(({ id }) => titleOf(id));
  for (const [name, words] of Object.entries(PROGRAMS))
    if (findProgram(name)) expect(titles).toContainEqual(expect.stringContaining(words));
  expect(started.some(isWorker)).toBe(true);
  expect(Object.values(folders).filter((folder) => !existsSync(folder))).toEqual([]);
  process.kill(target(run), 'SIGKILL');
  const left = () => runningOf(started).map(({ id }) => titleOf(id));
  await expect.poll(left, { timeout: LONGEST_MS, interval: 500 }).toEqual([]);
  const foldersLeft = () => Object.values(folders).filter((folder: string) => existsSync(folder));
  await expect.poll(foldersLeft, { timeout: LONGEST_MS, interval: 500 }).toEqual([]);
  await ended;
});
