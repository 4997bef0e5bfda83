import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { describe } from 'vitest';
import { makeFolder, placesOfRun } from './folder.ts';
import { isFull } from './rounds.ts';

/** The package.json files of an installation, by folder; the root is `.`. */
export type Manifests = Readonly<Record<string, object>>;

const isRequired = process.env.REQUIRE_ALL === '1';
const UNREACHABLE = /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH)\b/;
const INSTALL = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--prefer-offline'];
const NO_LONG_WAIT = ['--fetch-timeout=30000', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=5000'];

/** The time limit for a stalled registry, because vitest has none before the tests. */
const MOST_MS = 150_000;
const ATTEMPTS = 2;

/** With more threads, this npm spends its time in the kernel, where they wait for each other to make files. */
const UNPACKING = { UV_THREADPOOL_SIZE: '2' };

/** A package of the lock that is installed here. In a manifest, it stands for its version. */
export const locked = (name: string): string => `file:${resolve('node_modules', name)}`;

/** npm's output and exit code; null after a timeout. */
export interface Installation {
  readonly code: number | null;
  readonly stderr: string;
}

/** Installs the manifests' dependencies into a folder. */
export async function install(folder: string, manifests: Manifests): Promise<Installation> {
  for (const [path, manifest] of Object.entries(manifests)) {
    mkdirSync(join(folder, path), { recursive: true });
    writeFileSync(join(folder, path, 'package.json'), JSON.stringify({ private: true, type: 'module', ...manifest }));
  }
  let outcome: Installation = { code: null, stderr: '' };
  for (let attempt = 0; attempt < ATTEMPTS && outcome.code === null; attempt++) {
    const env = { ...process.env, ...UNPACKING };
    const options = { cwd: folder, env, timeout: MOST_MS, killSignal: 'SIGKILL' } as const;
    const npm = spawn('npm', [...INSTALL, ...NO_LONG_WAIT], { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
    const [stderr, [code]] = await Promise.all([text(npm.stderr), once(npm, 'exit') as Promise<[number | null]>]);
    outcome = { code, stderr };
  }
  return outcome;
}

/** The same, once for all files of a run with equal manifests. The first file installs, the others wait. */
async function installOnce(folder: string, manifests: Manifests): Promise<Installation> {
  const told = `${folder}.json`;
  try {
    mkdirSync(folder);
  } catch {
    const lastMs = performance.now() + ATTEMPTS * MOST_MS;
    while (!existsSync(told) && performance.now() < lastMs) await pause(200);
    return existsSync(told)
      ? JSON.parse(readFileSync(told, 'utf8'))
      : { code: null, stderr: 'another file waits as well' };
  }
  const outcome = await install(folder, manifests);
  writeFileSync(`${told}.new`, JSON.stringify(outcome));
  renameSync(`${told}.new`, told);
  return outcome;
}

type Body = (folder: string) => void;

/** Which runs include a suite. */
export interface SuiteOptions {
  /** Whether the suite runs only with ROUNDS=full, because its subject changes only with a release. */
  readonly isOfReleases?: boolean;
}

const isPartOf = ({ isOfReleases = false }: SuiteOptions): boolean => isFull || !isOfReleases;

function skip(title: string, missing: string, body: Body): void {
  process.stdout.write(`${title}: skipped, no ${missing}\n`);
  describe.skip(`${title} (skipped: no ${missing})`, () => body(''));
}

/** Defines a suite over an installation. If no registry can be reached, skips the suite and says so. */
function suiteOver(title: string, { code, stderr }: Installation, body: () => void): void {
  if (code === 0) return void describe(title, body);
  if (isRequired || !UNREACHABLE.test(stderr)) throw new Error(`npm could not install ${title}: ${stderr}`);
  skip(title, 'registry of npm', body);
}

/**
 * A suite that needs packages of npm's registry beyond the lock. `prepare` installs them into a new folder. If no registry can be reached,
 * the suite is skipped and says so. In CI, where REQUIRE_ALL is 1, it fails.
 */
export async function suiteWithInstallation(
  title: string,
  prepare: (folder: string) => Promise<Installation>,
  body: Body,
  options: SuiteOptions = {},
): Promise<void> {
  if (!isPartOf(options)) return skip(title, 'ROUNDS=full', body);
  const folder = makeFolder('disk');
  suiteOver(title, await prepare(folder), () => body(folder));
}

/**
 * Such a suite of packages that are too many for the lock. Suites of the same packages share one installation.
 */
export function suiteOfPackages(
  title: string,
  manifests: Manifests,
  body: Body,
  options?: SuiteOptions,
): Promise<void> {
  const folder = join(
    placesOfRun().disk,
    createHash('sha256').update(JSON.stringify(manifests)).digest('hex').slice(0, 16),
  );
  return suiteWithInstallation(
    title,
    () => installOnce(folder, manifests),
    () => body(folder),
    options,
  );
}
