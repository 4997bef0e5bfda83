import type { OptionTable, Values } from '../options.ts';
import type { Asked } from '../request.ts';
import type { Session } from '../session.ts';

/** What a command is given. */
export interface Given {
  /** The words after its name. */
  readonly words: readonly string[];
  readonly values: Values;
  readonly session: Session;
}

/** A command: one row of the table, from which help and completion follow. */
export interface Command {
  readonly name: string;
  /** What follows the name. */
  readonly takes: string;
  readonly summary: string;
  /** What to type, without the program's name. */
  readonly examples: readonly string[];
  /** Options beside those of every command. */
  readonly options?: OptionTable;
  /** What its first word may be, for the completion of shells. */
  readonly completes?: readonly string[];
  /** What it asks the gateway for, where it is one request; `quote` asks what that costs. */
  request?(words: readonly string[], values: Values): Asked;
  /** Does it; answers with the exit code. */
  run(given: Given): Promise<number>;
}
