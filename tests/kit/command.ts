import { type ChildProcess, spawn } from 'node:child_process';

/** The outcome of a command. */
export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command in its own process, and its output so far. */
export interface Command {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly ended: Promise<Outcome>;
}

/** Where and with what a command runs. */
export interface CommandOptions {
  /** All variables except PATH. */
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
}

/** Starts a command. */
export function startCommand(words: readonly string[], { env = {}, cwd }: CommandOptions = {}): Command {
  const [program = '', ...rest] = words;
  const child = spawn(program, rest, {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(cwd !== undefined && { cwd }),
  });
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (chunk: Buffer) => {
      written[name] += chunk.toString();
    });
  }
  const ended = new Promise<Outcome>((resolve) => child.once('close', (code) => resolve({ code, ...written })));
  return { child, stdout: () => written.stdout, stderr: () => written.stderr, ended };
}

/** Runs a command to its end. */
export const runCommand = (words: readonly string[], options: CommandOptions = {}): Promise<Outcome> =>
  startCommand(words, options).ended;

/** The words that run a script of the repository. */
export const node = (script: string, ...words: string[]): string[] => [process.execPath, script, ...words];

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/** The words that run a command in its own terminal, whose text comes out with `\r\n` for its line ends. */
export const inTerminal = (script: string, words: readonly string[]): string[] => [
  script,
  '--quiet',
  '--return',
  '--flush',
  '--command',
  `exec ${words.map(quoted).join(' ')}`,
  '/dev/null',
];
