import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../kit/folder.ts';

/** The path of an APIS_FILE with this lifetime of an asset-data route. */
export function cacheFile(method: string, freshSeconds: number, maxStaleSeconds: number): string {
  const path = join(makeFolder(), 'apis.json');
  const operations = { [method]: { cache: { freshSeconds, maxStaleSeconds } } };
  writeFileSync(path, JSON.stringify({ tokens: { operations } }));
  return path;
}
