import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { makeFolder } from '../kit/folder.ts';

/** The path of an APIS_FILE with this lifetime of an asset-data route, which is removed after the tests of the file. */
export function cacheFile(method: string, freshSeconds: number, maxStaleSeconds: number): string {
  const folder = makeFolder();
  const path = join(folder, 'apis.json');
  const operations = { [method]: { cache: { freshSeconds, maxStaleSeconds } } };
  writeFileSync(path, JSON.stringify({ tokens: { operations } }));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return path;
}
