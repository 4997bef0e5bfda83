import { chmodSync, closeSync, openSync } from 'node:fs';

const MODE = 0o600;

/**
 * Makes an empty file that only its owner can read. It does not open an existing file, because closing it would drop the locks that
 * this process holds on it.
 */
export function makePrivate(path: string): void {
  try {
    closeSync(openSync(path, 'wx', MODE));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    chmodSync(path, MODE);
  }
}
