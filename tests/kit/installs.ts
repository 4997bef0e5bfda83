import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where the files of a run, which one process has started, install packages. */
export const installsOf = (pid: number): string => join(tmpdir(), `asset-gateway-packages-${pid}`);

/** Removes them after all files have run, since deleting thousands of files slows the file system. */
export function teardown(): void {
  rmSync(installsOf(process.pid), { recursive: true, force: true });
}
