import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, it, type TestOptions } from 'vitest';
import { isFull, isShort } from './rounds.ts';

const POSTGRES = '/usr/lib/postgresql';
/** Debian has a folder for each version of PostgreSQL. */
const postgresFolders = (): string[] =>
  existsSync(POSTGRES)
    ? readdirSync(POSTGRES)
        .sort()
        .reverse()
        .map((version) => join(POSTGRES, version, 'bin'))
    : [];

/** Where systems install servers that are not in PATH. */
const SYSTEM_FOLDERS = ['/usr/sbin', '/usr/local/sbin', ...postgresFolders()];
const isRequired = process.env.REQUIRE_ALL === '1';

/** The same browser without a window, which takes a quarter of the processor time. With ROUNDS=full, tests use the whole browser. */
const HEADLESS = 'chromium-headless-shell';
const namesOf = (name: string): readonly string[] => {
  if (name !== 'chromium') return [name];
  return isFull ? [name, HEADLESS] : [HEADLESS, name];
};

/** The path of a program that may be missing. */
export function findProgram(name: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...SYSTEM_FOLDERS];
  return namesOf(name)
    .flatMap((each) => folders.map((folder) => join(folder, each)))
    .find((path) => existsSync(path));
}

/**
 * A suite that needs a program. A short run skips it. A full run skips it if the program is missing, and its title says so. If every suite
 * is required, as in CI, it fails instead.
 */
export function suiteWith(name: string, title: string, body: (path: string) => void, options: TestOptions = {}): void {
  const path = findProgram(name);
  if (isShort) describe.skip(`${title} (left to the full run)`, () => body(path ?? name));
  else if (path !== undefined) describe(title, options, () => body(path));
  else if (!isRequired) describe.skip(`${title} (skipped: no ${name} here)`, () => body(name));
  else
    it(title, () => {
      throw new Error(`${name} is not installed, and every suite is required`);
    });
}
