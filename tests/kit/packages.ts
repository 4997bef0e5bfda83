import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe } from 'vitest';
import { makeFolder } from './folder.ts';
import { isFull } from './rounds.ts';

/** What an install asks for, by the folder of its package.json; the root's is `.`. */
export type Manifests = Readonly<Record<string, object>>;

const isRequired = process.env.REQUIRE_ALL === '1';
const UNREACHABLE = /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH)\b/;
const INSTALL = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--prefer-offline'];
const NO_LONG_WAIT = ['--fetch-timeout=30000', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=5000'];

/** A registry that stalls would keep the file from ever ending: what happens before its tests has no limit of its own. */
const MOST_MS = 150_000;
const ATTEMPTS = 2;

/** What npm said, and how it ended, after it installed these packages; no code where it took too long. */
async function install(folder: string, manifests: Manifests): Promise<{ code: number | null; said: string }> {
  for (const [path, manifest] of Object.entries(manifests)) {
    mkdirSync(join(folder, path), { recursive: true });
    writeFileSync(join(folder, path, 'package.json'), JSON.stringify({ private: true, type: 'module', ...manifest }));
  }
  let outcome: { code: number | null; said: string } = { code: null, said: '' };
  for (let attempt = 0; attempt < ATTEMPTS && outcome.code === null; attempt++) {
    const options = { cwd: folder, timeout: MOST_MS, killSignal: 'SIGKILL' } as const;
    const npm = spawn('npm', [...INSTALL, ...NO_LONG_WAIT], { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
    const [said, [code]] = await Promise.all([text(npm.stderr), once(npm, 'exit') as Promise<[number | null]>]);
    outcome = { code, said };
  }
  return outcome;
}

function skip(title: string, missing: string, body: (folder: string) => void): void {
  process.stdout.write(`${title}: skipped, no ${missing}\n`);
  describe.skip(`${title} (skipped: no ${missing})`, () => body(''));
}

/**
 * A suite of packages that are too many for the lock: they are installed from npm's registry into a folder of their own.
 * It runs with ROUNDS=full and in CI, where REQUIRE_ALL is 1; elsewhere, and where no registry can be reached, it is
 * skipped and says so.
 */
export async function suiteOfPackages(
  title: string,
  manifests: Manifests,
  body: (folder: string) => void,
): Promise<void> {
  if (!isFull && !isRequired) return skip(title, 'ROUNDS=full', body);
  const folder = makeFolder();
  const { code, said } = await install(folder, manifests);
  if (code === 0) {
    describe(title, () => {
      // Thousands of files, on a machine that may be busy.
      afterAll(() => rm(folder, { recursive: true, force: true }), 300_000);
      body(folder);
    });
    return;
  }
  await rm(folder, { recursive: true, force: true });
  if (isRequired || !UNREACHABLE.test(said)) throw new Error(`npm could not install ${title}: ${said}`);
  skip(title, 'registry of npm', body);
}
