import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { CommandOptions, Outcome } from '../kit/command.ts';
import { endsAfterTests } from '../kit/ends.ts';

/** Starts a process that runs commands in sequence, to save the start of each. */
export function startWarm() {
  const child = fork('tests/cli/warm.mjs', { execArgv: [], env: { PATH: process.env.PATH } });
  const ended = once(child, 'exit');
  let last: Promise<unknown> = Promise.resolve();
  const answerTo = async (words: readonly string[], env: NodeJS.ProcessEnv): Promise<Outcome> => {
    child.send({ words, env: { PATH: process.env.PATH, ...env } });
    const [outcome] = (await Promise.race([
      once(child, 'message'),
      ended.then(() => Promise.reject(new Error(`the process ended at ${words.join(' ')}`))),
    ])) as [Outcome];
    return outcome;
  };
  return {
    pid: child.pid,
    run(words: readonly string[], { env = {} }: CommandOptions = {}): Promise<Outcome> {
      const outcome = last.then(() => answerTo(words, env));
      last = outcome.catch(() => {});
      return outcome;
    },
    close: endsAfterTests(async () => {
      child.kill();
      await ended;
    }),
  };
}
