import type { OptionTable, Values } from '../options.ts';
import type { GatewayRequest } from '../request.ts';
import type { Session } from '../session.ts';

/** The input of a command. */
export interface CommandInput {
  /** The words after its name. */
  readonly words: readonly string[];
  readonly values: Values;
  readonly session: Session;
}

/** A command: one row of the table behind the help and the completion. */
export interface Command {
  readonly name: string;
  /** The arguments, as the help shows them. */
  readonly takes: string;
  readonly summary: string;
  /** Examples without the program's name. */
  readonly examples: readonly string[];
  /** Its own options. */
  readonly options?: OptionTable;
  /** Completions of its first word. */
  readonly completes?: readonly string[];
  /** Its request, if it makes exactly one. `quote` uses this. */
  request?(words: readonly string[], values: Values): GatewayRequest;
  /** Runs the command and returns the exit code. */
  run(given: CommandInput): Promise<number>;
}

/** A command and its arguments. */
export interface FoundCommand {
  readonly command: Command;
  readonly rest: readonly string[];
}
