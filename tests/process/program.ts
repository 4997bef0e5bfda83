import { setTimeout as pause } from 'node:timers/promises';
import { type CommandOptions, node, startCommand, urlOf } from '../kit/command.ts';

const MAIN = 'packages/gateway/bin/main.js';

/** The gateway in a process of its own. */
export type Program = ReturnType<typeof startProgram>;

/** Starts it with exactly these variables. It is killed after the tests of the file. */
export function startProgram(
  env: NodeJS.ProcessEnv,
  { through, ...options }: Omit<CommandOptions, 'env'> & { readonly through?: string } = {},
) {
  const words = through ? ['sh', '-c', `${through}; exec "${process.execPath}" ${MAIN}`] : node(MAIN);
  const command = startCommand(words, { env, ...options });
  const url = urlOf(command);
  url.catch(() => undefined);
  return {
    ...command,
    /** Its URL; rejects if it ends. */
    url,
    /** Its exit code; null after a signal. */
    ended: command.ended.then(({ code }) => code),
  };
}

/** Waits for a condition, at most ten seconds. */
export async function until(holds: () => boolean): Promise<void> {
  for (let round = 0; round < 1_000 && !holds(); round++) await pause(10);
  if (!holds()) throw new Error('condition not met');
}
