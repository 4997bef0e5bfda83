import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** A gateway in its own process. */
export interface GatewayProcess {
  readonly url: string;
  readonly child: ChildProcess;
  /** Sends a signal and waits for the end; answers with the exit code, or nothing after a kill. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

const running = new Set<ChildProcess>();
// A test that fails before it has ended its process leaves none behind.
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts a script of the repository and waits until it says where it listens. */
export async function startProcess(
  script: string,
  words: readonly string[],
  variables: object,
): Promise<GatewayProcess> {
  const child = spawn(process.execPath, [script, ...words], {
    env: { PATH: process.env.PATH, LOG_LEVEL: 'silent', ...variables },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  let output = '';
  const url = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk.toString();
      const found = /listening (?:on )?(http:\S+?)["\s]/.exec(output);
      if (found?.[1]) resolve(found[1]);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('exit', (code) => reject(new Error(`ended with ${code}: ${output}`)));
  });
  return {
    url,
    child,
    async end(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      child.kill(signal);
      const [code] = (await once(child, 'exit')) as [number | null];
      return code;
    },
  };
}
