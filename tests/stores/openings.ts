import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

/** The outcome of a start on a folder: its faults, or the status of `/healthz`. */
export type Opening = { readonly faults: readonly string[] } | { readonly status: number };

/** Starts gateways in a process of their own, one after the other. A crash ends that process. */
export class Openings {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #lines: AsyncIterator<string>;
  #last: Promise<unknown> = Promise.resolve();

  /** As this user of the machine, where one is given. */
  constructor(user?: number) {
    const as = user === undefined ? {} : { uid: user, gid: user };
    this.#child = spawn(process.execPath, ['tests/stores/openings.mjs'], { stdio: ['pipe', 'pipe', 'inherit'], ...as });
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  /** Starts a gateway on this folder, and stops it where it serves; rejects where the process has ended. */
  open(folder: string): Promise<Opening> {
    const opening = this.#last.then(async () => {
      this.#child.stdin.write(`${folder}\n`);
      const { value, done } = await this.#lines.next();
      if (done) throw new Error(`a gateway on ${folder} has ended its process`);
      return JSON.parse(value) as Opening;
    });
    this.#last = opening.catch(() => undefined);
    return opening;
  }

  /** Ends the process. */
  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill('SIGKILL');
    await once(this.#child, 'exit');
  }
}
