import type { CallRequest } from '@asset-gateway/client/tools';
import type { OptionTable, Values } from '../options.ts';
import type { Session } from '../session.ts';
import type { Formatter } from '../show/formatters.ts';

/** The input of a command. */
export interface CommandInput {
  /** The words after the command's name. */
  readonly words: readonly string[];
  readonly values: Values;
  readonly session: Session;
}

/** A command in help and completion. */
interface Described {
  readonly name: string;
  /** The arguments, as help shows them. */
  readonly takes: string;
  readonly summary: string;
  /** Examples without the program's name. */
  readonly examples: readonly string[];
  /** The command's own options. */
  readonly options?: OptionTable;
  /** Completions of the first word. */
  readonly completes?: readonly string[];
}

/** A command that makes exactly one request and so has a price. */
export interface RequestCommand extends Described {
  request(words: readonly string[], values: Values): CallRequest;
  /** Returns a command that finds values that these words do not name. */
  readonly elsewhere?: ((words: readonly string[]) => string) | undefined;
  /** Formats the result for a terminal. */
  readonly formatter?: Formatter | undefined;
}

/** Any other command. */
interface FreeCommand extends Described {
  /** Runs the command. Returns the exit code. */
  run(given: CommandInput): Promise<number>;
}

export type Command = RequestCommand | FreeCommand;

/** A command and its arguments. */
export interface FoundCommand {
  readonly command: Command;
  readonly rest: readonly string[];
}
