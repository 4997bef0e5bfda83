import type { Room } from '../budget/store.ts';

/** The calls to one upstream that this node has in flight, by the owners of their slots. */
export class InFlight implements Room {
  readonly #limit: number;
  readonly #owners = new Set<string>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get isFree(): boolean {
    return this.#owners.size < this.#limit;
  }

  take(owner: string): void {
    this.#owners.add(owner);
  }

  /** The call is over, or was never made. */
  leave(owner: string): void {
    this.#owners.delete(owner);
  }
}
