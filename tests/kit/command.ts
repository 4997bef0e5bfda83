import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { endsAfterTests } from './ends.ts';

/** The outcome of a command. */
export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command in its own process, with its output so far. */
export type Command = ReturnType<typeof startCommand>;

/** Where a command runs, and its variables. */
export interface CommandOptions extends Pick<SpawnOptions, 'cwd' | 'uid' | 'gid' | 'detached'> {
  /** All variables except PATH and TMPDIR. */
  readonly env?: NodeJS.ProcessEnv;
  readonly stdin?: 'pipe';
}

/** Starts a command. Kills it after the file's tests. */
export function startCommand(words: readonly string[], options: CommandOptions = {}) {
  const { env, stdin = 'ignore', ...others } = options;
  const [program = '', ...rest] = words;
  const child = spawn(program, rest, {
    ...others,
    env: { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR, ...env },
    stdio: [stdin, 'pipe', 'pipe'],
  }) as ChildProcess & Record<'stdout' | 'stderr', Readable>;
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (chunk: Buffer) => {
      written[name] += chunk.toString();
    });
  }
  const ended = new Promise<Outcome>((resolve) => child.once('close', (code) => resolve({ code, ...written })));
  const end = endsAfterTests(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  ended.then(end);
  return { child, stdout: () => written.stdout, stderr: () => written.stderr, ended };
}

/** Runs a command to its end. */
export const runCommand = (words: readonly string[], options: CommandOptions = {}): Promise<Outcome> =>
  startCommand(words, options).ended;

/** The words that run a script of the repository. */
export const node = (script: string, ...words: string[]): string[] => [process.execPath, script, ...words];

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/** The words that run a command in a terminal of its own. Its lines end with `\r\n`. */
export const inTerminal = (script: string, words: readonly string[]): string[] => [
  script,
  '--quiet',
  '--return',
  '--flush',
  '--command',
  `exec ${words.map(quoted).join(' ')}`,
  '/dev/null',
];

/** The URL on which a server says that it listens. Rejects if the server ends. */
export const urlOf = ({ child, stdout, stderr, ended }: Command): Promise<string> =>
  new Promise((resolve, reject) => {
    const look = () => {
      const [, url] = /listening (?:on )?(http:[^\s"]+)["\s]/.exec(stdout() + stderr()) ?? [];
      if (url) resolve(url);
    };
    child.stdout?.on('data', look);
    child.stderr?.on('data', look);
    ended.then(({ code }) => reject(new Error(`ended with ${code}: ${stdout()}${stderr()}`)));
  });
