import type { CallRequest } from '@asset-gateway/client/tools';
import type { OptionTable, Values } from '../options.ts';
import type { Session } from '../session.ts';
import type { View } from '../show/views.ts';

/** The input of a command. */
export interface CommandInput {
  /** The words after its name. */
  readonly words: readonly string[];
  readonly values: Values;
  readonly session: Session;
}

/** One row of the table behind the help and the completion. */
interface Described {
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
}

/** A command that makes exactly one request, so it has a price. */
export interface RequestCommand extends Described {
  request(words: readonly string[], values: Values): CallRequest;
  /** A command that finds what these words do not name. */
  readonly elsewhere?: ((words: readonly string[]) => string) | undefined;
  /** Formats the result at a terminal. */
  readonly view?: View | undefined;
}

/** Any other command. */
interface FreeCommand extends Described {
  /** Runs the command and returns the exit code. */
  run(given: CommandInput): Promise<number>;
}

export type Command = RequestCommand | FreeCommand;

/** A command and its arguments. */
export interface FoundCommand {
  readonly command: Command;
  readonly rest: readonly string[];
}
