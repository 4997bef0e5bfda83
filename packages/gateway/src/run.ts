import { ConfigError } from './config/config.ts';

/** Something that was started and can be stopped. */
interface Service {
  readonly log: { failure(error: unknown): void };
  stop(): Promise<void>;
}

/** Says on standard error what an operator can change; the process ends with exit code 1. */
function fail(error: unknown): never {
  const lines = error instanceof ConfigError ? error.faults : [String((error as Error)?.stack ?? error)];
  for (const line of lines) process.stderr.write(`asset-gateway: ${line}\n`);
  process.exit(1);
}

/** A terminal and the program that started us may both pass on one and the same signal. */
const SAME_SIGNAL_MS = 500;

/** Whoever reads what we write may go away. */
function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}

/** Runs a command to its end; where whoever reads what it writes goes away, that is its end. */
export async function finish(command: () => Promise<number>): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => process.exit(0));
  process.exitCode = await command().catch(fail);
}

/** Runs a service until SIGTERM or SIGINT: the first signal drains it, a second one ends the process at once. */
export async function run(start: () => Promise<Service>): Promise<void> {
  outliveReaders();
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
  const running = await starting.catch(fail);
  // A library's promise that nobody waits for must not end the service for everybody.
  process.on('unhandledRejection', (reason) => running.log.failure(reason));
}
