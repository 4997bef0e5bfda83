import { Writable } from 'node:stream';
import { vi } from 'vitest';
import { run } from '../../packages/cli/src/run.ts';
import type { CommandOptions, Outcome } from '../kit/command.ts';

/** Replaces all variables of this process. */
function setVariables(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
}

/** A stream that passes on what is written to it. */
export const passingTo = (take: (chunk: Buffer) => void): Writable =>
  new Writable({
    write(chunk: Buffer, _, done) {
      take(chunk);
      done();
    },
  });

/** Runs the command line in this process, with these variables and streams in place of its own. */
export async function runOn(
  streams: Readonly<Record<string, unknown>>,
  words: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const variables = { ...process.env };
  const own = Object.getOwnPropertyDescriptors(process);
  const log = vi.spyOn(console, 'log').mockImplementation((text) => void process.stdout.write(`${text}\n`));
  for (const [name, value] of Object.entries(streams))
    Object.defineProperty(process, name, { value, configurable: true });
  setVariables({ PATH: variables.PATH, ...env });
  try {
    return await run(words);
  } finally {
    for (const name of Object.keys(streams)) Object.defineProperty(process, name, own[name as 'stdout']);
    setVariables(variables);
    log.mockRestore();
  }
}

let last: Promise<unknown> = Promise.resolve();

/** Runs a command in this process, after the previous one. */
export function runHere(words: readonly string[], { env = {} }: CommandOptions = {}): Promise<Outcome> {
  const outcome = last.then(async () => {
    const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
    const streams = {
      stdout: passingTo((chunk) => stdout.push(chunk)),
      stderr: passingTo((chunk) => stderr.push(chunk)),
    };
    const code = await runOn(streams, words, env);
    return { code, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() };
  });
  last = outcome.catch(() => {});
  return outcome;
}
