import { node, startCommand, urlOf } from './command.ts';

/** A gateway in its own process. */
export type GatewayProcess = Awaited<ReturnType<typeof startProcess>>;

/** Starts a script of the repository, and waits until it says where it listens. Kills it after the file's tests. */
export async function startProcess(script: string, words: readonly string[], variables: object) {
  const command = startCommand(node(script, ...words), { env: { LOG_LEVEL: 'silent', ...variables }, stdin: 'pipe' });
  const { child, ended } = command;
  return {
    url: await urlOf(command),
    child,
    /** Sends a signal and waits for the end. Returns the exit code, or null after a kill. */
    async end(signal: NodeJS.Signals) {
      child.kill(signal);
      return (await ended).code;
    },
  };
}

/** Starts a gateway that can kill itself after a step. `windowMs`: the window of its budgets. */
export const startGatewayProcess = (variables: object, windowMs?: number): Promise<GatewayProcess> =>
  startProcess('tests/kit/gateway-process.mjs', windowMs === undefined ? [] : [String(windowMs)], variables);
