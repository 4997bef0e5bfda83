import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where the files of a run, which one process has started, install packages. */
export const installsOf = (pid: number): string => join(tmpdir(), `asset-gateway-packages-${pid}`);

/** Removes them when all files have run: thousands, and a file system is slow to make new ones beside so many that have just gone. */
export function teardown(): void {
  rmSync(installsOf(process.pid), { recursive: true, force: true });
}
