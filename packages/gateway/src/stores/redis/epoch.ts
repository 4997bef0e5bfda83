import { randomBytes } from 'node:crypto';
import { READ_EPOCH } from './budget-scripts.ts';
import type { ReplyTimeout } from './connection.ts';
import type { Keyspace } from './keyspace.ts';

/** The epoch of a keyspace, as this node last read it. It changes when data was lost there, or may have been. */
export class Epoch {
  readonly #space: Keyspace;
  #held: string | undefined;

  constructor(space: Keyspace) {
    this.#space = space;
  }

  get held(): string | undefined {
    return this.#held;
  }

  /** Reads it, or makes the first one; where another one was held, the keyspace is told that it has lost data. */
  async read(timeout: ReplyTimeout): Promise<string> {
    const args = [this.#held ?? '', randomBytes(16).toString('hex')];
    this.#held = String(await this.#space.run({ script: READ_EPOCH, args, timeout }));
    return this.#held;
  }
}
