import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { runCommand } from '../kit/command.ts';
import { makeFolder } from '../kit/folder.ts';
import { suiteOfPackages } from '../kit/packages.ts';
import { isFull } from '../kit/rounds.ts';
import { stopAfterTests } from '../kit/stop-after-tests.ts';
import { openFixture, WALLET } from './fixture.ts';

const NAMES = ['protocol', 'client', 'cli'];

/** The tarballs of the packages by name. */
function pack(folder: string): Record<string, string> {
  const words = [
    'pack',
    '--json',
    '--pack-destination',
    folder,
    ...NAMES.flatMap((name) => ['-w', `packages/${name}`]),
  ];
  const packed = JSON.parse(execFileSync('npm', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  const entries = (packed as { name: string; filename: string }[]).map(({ name, filename }) => {
    return [name, `file:${join(folder, filename)}`];
  });
  return Object.fromEntries(entries);
}

const tarballs = makeFolder();
afterAll(() => rmSync(tarballs, { recursive: true, force: true }));

const fixture = await stopAfterTests(openFixture());

await suiteOfPackages(
  'the command line in a folder of its own',
  { '.': { dependencies: isFull ? pack(tarballs) : {} } },
  (folder) => {
    const run = (words: readonly string[], home: string) =>
      runCommand([join(folder, 'node_modules/.bin/asset-gateway-client'), ...words], {
        cwd: folder,
        env: fixture.environment(home),
      });

    it('requests and pays outside of this repository', async () => {
      const home = fixture.newHome();
      const price = await run(['price', 'solana'], home);
      expect([price.code, JSON.parse(price.stdout).ok], price.stderr).toEqual([0, true]);
      const before = fixture.transfers();
      const paid = await run(['balances', WALLET, '--pay'], home);
      expect([paid.code, fixture.transfers() - before], paid.stderr).toEqual([0, 1]);
      const { stdout } = await run(['spending'], home);
      expect(JSON.parse(stdout)).toMatchObject({ dayMicros: 500, open: [] });
    });
  },
  { isOfReleases: true },
);
