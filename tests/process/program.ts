import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const MAIN = 'packages/gateway/bin/main.js';
const GATEWAY = ['packages/protocol', 'packages/doctor', 'packages/gateway'];
const ALL = [...GATEWAY, 'packages/client', 'packages/cli', 'packages/sandbox'];
const BUNDLES = [MAIN, 'packages/cli/bin/main.js'];
const LOCK = join(tmpdir(), `asset-gateway-build-${process.ppid}`);

const newest = (folder: string): number =>
  Math.max(...readdirSync(folder, { recursive: true }).map((name) => statSync(join(folder, String(name))).mtimeMs));

function isFresh(packages: readonly string[]): boolean {
  try {
    const bundled = Math.min(...BUNDLES.map((path) => statSync(path).mtimeMs));
    return packages.every(
      (name) => newest(`${name}/src`) < Math.min(bundled, statSync(`${name}/dist/.tsbuildinfo`).mtimeMs),
    );
  } catch {
    return false;
  }
}

function run(...words: string[]): void {
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${words.join(' ')}: ${stdout}${stderr}`);
}

/** Compiles packages if they are out of date; one test file at a time. */
async function compile(packages: readonly string[]): Promise<void> {
  while (!isFresh(packages)) {
    try {
      mkdirSync(LOCK);
    } catch {
      await pause(200);
      continue;
    }
    try {
      run('scripts/sources.mjs');
      run('node_modules/rolldown/bin/cli.mjs', '--config');
      // What is looked at to tell whether anything has to be done comes last.
      run('node_modules/typescript-7/bin/tsc', '--build', ...packages);
    } finally {
      rmSync(LOCK, { recursive: true, force: true });
    }
    return;
  }
}

export const compileGateway = (): Promise<void> => compile(GATEWAY);
export const compileAll = (): Promise<void> => compile(ALL);

/** The gateway in a process of its own. */
export interface Program {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Its URL; rejects if it ends. */
  readonly url: Promise<string>;
  /** Its exit code; null after a signal. */
  readonly ended: Promise<number | null>;
}

const running = new Set<ChildProcess>();

function read(child: ChildProcess, name: 'stdout' | 'stderr'): () => string {
  let text = '';
  child[name]?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  return () => text;
}

/** Starts it with exactly these variables. */
export function startProgram(
  variables: NodeJS.ProcessEnv,
  options: SpawnOptions & { readonly through?: string } = {},
): Program {
  const { through, ...spawnOptions } = options;
  const [command, ...words] = through
    ? ['sh', '-c', `${through}; exec "${process.execPath}" ${MAIN}`]
    : [process.execPath, MAIN];
  const child = spawn(command as string, words, {
    ...spawnOptions,
    env: { PATH: process.env.PATH, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const [stdout, stderr] = [read(child, 'stdout'), read(child, 'stderr')];
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', (code) => {
      running.delete(child);
      resolve(code);
    });
  });
  const url = new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', () => {
      const found = /listening on (http[^"]+)"/.exec(stdout())?.[1];
      if (found) resolve(found);
    });
    ended.then((code) => reject(new Error(`ended with ${code}: ${stderr()}`)));
  });
  url.catch(() => undefined);
  return { child, stdout, stderr, url, ended };
}

/** Kills all programs. */
export async function endPrograms(): Promise<void> {
  const ends = [...running].map((child) => new Promise((resolve) => child.once('close', resolve)));
  for (const child of running) child.kill('SIGKILL');
  await Promise.all(ends);
}

/** Waits for a condition, at most ten seconds. */
export async function until(holds: () => boolean): Promise<void> {
  for (let round = 0; round < 1_000 && !holds(); round++) await pause(10);
  if (!holds()) throw new Error('condition not met');
}
