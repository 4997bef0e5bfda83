/** A running process. `start` tells it from a later one with the same id. */
export interface Running {
  readonly id: number;
  readonly parent: number;
  readonly start: string;
}

export function readProcesses(): Map<number, Running>;
export function titleOf(id: number): string;
export function descendantsOf(ids: readonly number[], processes?: Map<number, Running>): Running[];
