import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Command, type CommandOptions, node, startCommand, urlOf } from '../kit/command.ts';

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
export interface Program extends Omit<Command, 'ended'> {
  /** Its URL; rejects if it ends. */
  readonly url: Promise<string>;
  /** Its exit code; null after a signal. */
  readonly ended: Promise<number | null>;
}

const running = new Set<Program>();

/** Starts it with exactly these variables. */
export function startProgram(
  env: NodeJS.ProcessEnv,
  { through, ...options }: Omit<CommandOptions, 'env'> & { readonly through?: string } = {},
): Program {
  const words = through ? ['sh', '-c', `${through}; exec "${process.execPath}" ${MAIN}`] : node(MAIN);
  const command = startCommand(words, { env, ...options });
  const url = urlOf(command);
  url.catch(() => undefined);
  const program = { ...command, url, ended: command.ended.then(({ code }) => code) };
  running.add(program);
  return program;
}

/** Kills all programs. */
export async function endPrograms(): Promise<void> {
  for (const { child } of running) child.kill('SIGKILL');
  await Promise.all([...running].map(({ ended }) => ended));
  running.clear();
}

/** Waits for a condition, at most ten seconds. */
export async function until(holds: () => boolean): Promise<void> {
  for (let round = 0; round < 1_000 && !holds(); round++) await pause(10);
  if (!holds()) throw new Error('condition not met');
}
