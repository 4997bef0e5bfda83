import { ConfigError } from './config/config.ts';
import { stackOf } from './stack.ts';

interface RunningProcess {
  readonly log: { failure(error: unknown): void };
  stop(): Promise<void>;
}

/** Prints the faults to standard error and exits with code 1. */
function fail(error: unknown): never {
  const lines = error instanceof ConfigError ? error.faults : [stackOf(error)];
  for (const line of lines) process.stderr.write(`asset-gateway: ${line}\n`);
  process.exit(1);
}

/** Two signals within this time, in milliseconds, count as one. A terminal and the parent process may both forward the same signal. */
const SAME_SIGNAL_MS = 500;

/** Runs a command to its end. Exits if the reader of its output goes away. */
export async function runCommand(command: () => Promise<number>): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => process.exit(0));
  process.exitCode = await command().catch(fail);
}

/** Runs a service until SIGTERM or SIGINT. The first signal drains it. A second one ends the process at once. */
export async function runService(start: () => Promise<RunningProcess>): Promise<void> {
  // The reader of the output may go away.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  const starting = start();
  let stoppingSince: number | undefined;
  const onSignal = () => {
    if (stoppingSince !== undefined) {
      if (performance.now() - stoppingSince > SAME_SIGNAL_MS) process.exit(1);
      return;
    }
    stoppingSince = performance.now();
    starting.then((running) => running.stop()).then(() => process.exit(0), fail);
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  // An unhandled rejection in a library must not end the service, even while it starts.
  process.on('unhandledRejection', (reason) => {
    starting.then(({ log }) => log.failure(reason), fail);
  });
  await starting.catch(fail);
}
