import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const prefixOf = (run: number): string => `asset-gateway-test-${run}-`;

/** A new empty folder, which is removed after the run. */
export const makeFolder = (): string => mkdtempSync(join(tmpdir(), prefixOf(process.ppid)));

/** Removes the folders of a run. */
export function teardown(): void {
  const own = readdirSync(tmpdir()).filter((name) => name.startsWith(prefixOf(process.pid)));
  for (const name of own) rmSync(join(tmpdir(), name), { recursive: true, force: true });
}
