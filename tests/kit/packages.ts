import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { describe } from 'vitest';
import { installsOf } from './installs.ts';
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

/** With more threads than this npm spends its time in the kernel, where they wait for each other to make files. */
const UNPACKING = { UV_THREADPOOL_SIZE: '2' };

/** A package of the lock, which is installed here already: in a manifest it stands for the version that it has. */
export const locked = (name: string): string => `file:${resolve('node_modules', name)}`;

/** What npm said, and how it ended; no code where it took too long. */
interface Installed {
  readonly code: number | null;
  readonly said: string;
}

async function install(folder: string, manifests: Manifests): Promise<Installed> {
  for (const [path, manifest] of Object.entries(manifests)) {
    mkdirSync(join(folder, path), { recursive: true });
    writeFileSync(join(folder, path, 'package.json'), JSON.stringify({ private: true, type: 'module', ...manifest }));
  }
  let outcome: Installed = { code: null, said: '' };
  for (let attempt = 0; attempt < ATTEMPTS && outcome.code === null; attempt++) {
    const env = { ...process.env, ...UNPACKING };
    const options = { cwd: folder, env, timeout: MOST_MS, killSignal: 'SIGKILL' } as const;
    const npm = spawn('npm', [...INSTALL, ...NO_LONG_WAIT], { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
    const [said, [code]] = await Promise.all([text(npm.stderr), once(npm, 'exit') as Promise<[number | null]>]);
    outcome = { code, said };
  }
  return outcome;
}

/** The same, once for all files of a run that ask for the same: the first one installs, the others wait for it. */
async function installOnce(folder: string, manifests: Manifests): Promise<Installed> {
  const told = `${folder}.json`;
  mkdirSync(join(folder, '..'), { recursive: true });
  try {
    mkdirSync(folder);
  } catch {
    const lastMs = performance.now() + ATTEMPTS * MOST_MS;
    while (!existsSync(told) && performance.now() < lastMs) await pause(200);
    return existsSync(told)
      ? JSON.parse(readFileSync(told, 'utf8'))
      : { code: null, said: 'another file waits as well' };
  }
  const outcome = await install(folder, manifests);
  writeFileSync(`${told}.new`, JSON.stringify(outcome));
  renameSync(`${told}.new`, told);
  return outcome;
}

function skip(title: string, missing: string, body: (folder: string) => void): void {
  process.stdout.write(`${title}: skipped, no ${missing}\n`);
  describe.skip(`${title} (skipped: no ${missing})`, () => body(''));
}

/**
 * A suite of packages that are too many for the lock: they are installed from npm's registry into a folder of their own, which
 * suites of the same packages share. It runs with ROUNDS=full and in CI, where REQUIRE_ALL is 1; elsewhere, and where no
 * registry can be reached, it is skipped and says so.
 */
export async function suiteOfPackages(
  title: string,
  manifests: Manifests,
  body: (folder: string) => void,
): Promise<void> {
  if (!isFull && !isRequired) return skip(title, 'ROUNDS=full', body);
  const name = createHash('sha256').update(JSON.stringify(manifests)).digest('hex').slice(0, 16);
  const folder = join(installsOf(process.ppid), name);
  const { code, said } = await installOnce(folder, manifests);
  if (code === 0) return void describe(title, () => body(folder));
  if (isRequired || !UNREACHABLE.test(said)) throw new Error(`npm could not install ${title}: ${said}`);
  skip(title, 'registry of npm', body);
}
