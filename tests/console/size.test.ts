import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';

const FOLDERS = ['console', 'operate'].map((name) => join('packages/console/dist', name));
const LIMIT_BYTES = 90_000;

it('all JavaScript of the console is at most 90 kB with gzip', () => {
  const files = FOLDERS.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)));
  const scripts = files.filter((path) => path.endsWith('.js'));
  const sizes = scripts.map((path) => gzipSync(readFileSync(path), { level: 9 }).length);
  expect(scripts.length).toBeGreaterThan(1);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(LIMIT_BYTES);
});
