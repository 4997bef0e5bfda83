import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { FOLDERS, type Places } from './folder.ts';

const MEMORY = '/dev/shm';
/** More than the data of all tests need. */
const ROOM_BYTES = 2 ** 31;

/** Whether files may lie in memory. */
function hasMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize > ROOM_BYTES;
  } catch {
    return false;
  }
}

function makePlaces(): Places {
  const make = (parent: string) => {
    const folder = mkdtempSync(join(resolve(parent), 'asset-gateway-tests-'));
    // PostgreSQL's user must reach its own folder below.
    chmodSync(folder, 0o711);
    return folder;
  };
  mkdirSync('.setup', { recursive: true });
  return { memory: make(hasMemory() ? MEMORY : tmpdir()), disk: make(tmpdir()), repository: make('.setup') };
}

let watcher: ChildProcess | undefined;

/** Makes the folders of a run, and starts the process that cleans up after it. */
export function setup(): void {
  const places = makePlaces();
  process.env[FOLDERS] = JSON.stringify(places);
  process.env.TMPDIR = places.disk;
  const words = ['tests/kit/watcher.mjs', ...Object.values(places)];
  // In a session of its own, it survives a kill of the run's group.
  watcher = spawn(process.execPath, words, { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
}

/** Waits until everything is cleaned up. */
export async function teardown(): Promise<void> {
  if (!watcher || watcher.exitCode !== null) return;
  watcher.stdin?.end('over');
  await once(watcher, 'exit');
}
