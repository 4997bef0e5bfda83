import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, it, type TestOptions } from 'vitest';
import { isFull } from './rounds.ts';

/** Whether this is a whole run on a machine that need not run everything. */
const isLeftToCi = process.env.PACKAGES === 'built' && process.env.REQUIRE_ALL !== '1' && !isFull;
const titleInCi = (title: string): string => (isLeftToCi ? `${title} (skipped: left to CI)` : title);

/** A suite that takes long and seldom fails: a whole run leaves it to CI and says so in its title. Named alone it runs. */
export const suiteInCi = (title: string, options: TestOptions, body: () => void): void =>
  void describe.skipIf(isLeftToCi)(titleInCi(title), options, body);

/** The same of a single test. */
export const testInCi = (title: string, options: TestOptions, body: () => Promise<void>): void =>
  it.skipIf(isLeftToCi)(titleInCi(title), options, body);

const POSTGRES = '/usr/lib/postgresql';
/** Debian has a folder for each version of PostgreSQL. */
const postgresFolders = (): string[] =>
  existsSync(POSTGRES)
    ? readdirSync(POSTGRES)
        .sort()
        .reverse()
        .map((version) => join(POSTGRES, version, 'bin'))
    : [];

/** Where servers are installed on systems that leave them out of PATH. */
const SYSTEM_FOLDERS = ['/usr/sbin', '/usr/local/sbin', ...postgresFolders()];
const isRequired = process.env.REQUIRE_ALL === '1';

/** The same browser built without a window, at a quarter of the processor time; with ROUNDS=full the whole one is looked through. */
const HEADLESS = 'chromium-headless-shell';
const namesOf = (name: string): readonly string[] => {
  if (name !== 'chromium') return [name];
  return isFull ? [name, HEADLESS] : [HEADLESS, name];
};

/** The path of a program that a newcomer's machine may lack. */
export function findProgram(name: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...SYSTEM_FOLDERS];
  return namesOf(name)
    .flatMap((each) => folders.map((folder) => join(folder, each)))
    .find((path) => existsSync(path));
}

/** A suite that needs a program. Where that is missing it is skipped with a title that says so; in CI, where REQUIRE_ALL is 1, it fails. */
export function suiteWith(name: string, title: string, body: (path: string) => void, options: TestOptions = {}): void {
  const path = findProgram(name);
  if (path !== undefined) describe(title, options, () => body(path));
  else if (!isRequired) describe.skip(`${title} (skipped: no ${name} here)`, () => body(name));
  else
    it(title, () => {
      throw new Error(`${name} is not installed, and every suite is required`);
    });
}
