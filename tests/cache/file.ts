import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { makeFolder } from '../kit/folder.ts';

/** The path of a CACHE_FILE with this lifetime of a route, which is removed after the tests of the file. */
export function cacheFile(route: string, freshSeconds: number, maxStaleSeconds: number): string {
  const folder = makeFolder();
  const path = join(folder, 'cache.json');
  writeFileSync(path, JSON.stringify({ [route]: { freshSeconds, maxStaleSeconds } }));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return path;
}
