import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The folder of a run for PostgreSQL: an empty data folder and the shared server's. */
export const folderOf = (run: number): string => join(tmpdir(), `asset-gateway-postgres-${run}`);

/** The processes of a server: the first one and its children. */
export function processesOf(pid: number): number[] {
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === pid);
  return [pid, ...children.map(Number)];
}

function parentOf(pid: string): number {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[1]);
  } catch {
    return 0;
  }
}

/** Ends the server that the files of a run have shared. */
export function teardown(): void {
  const folder = folderOf(process.pid);
  const ready = join(folder, 'shared.ready');
  if (existsSync(ready)) {
    const { pid } = JSON.parse(readFileSync(ready, 'utf8')) as { pid: number };
    for (const each of processesOf(pid)) process.kill(each, 'SIGKILL');
  }
  rmSync(folder, { recursive: true, force: true });
}
