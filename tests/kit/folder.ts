import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const prefixOf = (run: number): string => `asset-gateway-test-${run}-`;

/** A new empty folder, which is removed after the run. */
export const makeFolder = (): string => mkdtempSync(join(tmpdir(), prefixOf(process.ppid)));

/** The path of a folder that all files of a run share, and that is removed after it. */
export const folderOfRun = (name: string): string => join(tmpdir(), prefixOf(process.ppid) + name);

/** Removes the folders of a run: after all files, since deleting thousands of files slows the file system. */
export function teardown(): void {
  const own = readdirSync(tmpdir()).filter((name) => name.startsWith(prefixOf(process.pid)));
  for (const name of own) rmSync(join(tmpdir(), name), { recursive: true, force: true });
}
