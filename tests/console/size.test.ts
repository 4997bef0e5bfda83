import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';

const FOLDER = 'packages/console/dist/console';
const LIMIT_BYTES = 90_000;

it('all JavaScript of the console is at most 90 kB, zipped', () => {
  const scripts = readdirSync(FOLDER).filter((name) => name.endsWith('.js'));
  const sizes = scripts.map((name) => gzipSync(readFileSync(join(FOLDER, name)), { level: 9 }).length);
  expect(scripts.length).toBeGreaterThan(1);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(LIMIT_BYTES);
});
