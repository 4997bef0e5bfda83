import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';

const PRIVATE = 0o600;

/** Syncs a folder's entries to disk. Windows neither supports nor needs this. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Makes a private folder and its missing parents. They survive a power loss. */
export function makeFolder(folder: string): void {
  const first = mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let each = folder; each.length >= first.length; each = dirname(each)) syncFolder(dirname(each));
}

/** Writes a new file beside this one. Its name has no process id, because containers that share a folder may have the same one. */
function writeDraft(file: string, text: string): string {
  const draft = `${file}.${randomUUID()}.draft`;
  writeFileSync(draft, text, { mode: PRIVATE, flag: 'wx', flush: true });
  return draft;
}

/** Writes a private file atomically. It survives a power loss, after which `write-file-atomic` may have lost the new name. */
export function writeDurably(file: string, text: string): void {
  renameSync(writeDraft(file, text), file);
  syncFolder(dirname(file));
}

/** Writes a file as `writeDurably` does, but keeps an existing one. */
export function writeOnce(file: string, text: string): void {
  makeFolder(dirname(file));
  const draft = writeDraft(file, text);
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
  syncFolder(dirname(file));
}

/** Appends with a single write, so that other processes cannot interleave theirs. `isDurable`: also sync it to disk. */
export function append(file: string, text: string, isDurable: boolean): void {
  const handle = openSync(file, 'a', PRIVATE);
  try {
    const bytes = Buffer.from(text);
    if (writeSync(handle, bytes) !== bytes.length) throw new Error(`${file} cannot be written; is the disk full?`);
    if (isDurable) fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  if (isDurable) syncFolder(dirname(file));
}
