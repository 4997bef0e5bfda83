import { Misunderstood } from '../misunderstood.ts';
import { namedCommands } from './by-name.ts';
import { byPath, isPath } from './by-path.ts';
import type { Command } from './command.ts';
import { completionCommand } from './completion.ts';
import { creditCommand } from './credit.ts';
import { mcpCommand } from './mcp.ts';
import { quoteCommand } from './quote.ts';
import { resumeCommand } from './resume.ts';
import { routesCommand } from './routes.ts';
import { spendingCommand } from './spending.ts';
import { walletCommand } from './wallet.ts';

/** What is shown of a word that is no command: a key that was typed in its place is longer. */
const NAME = /^[\w-]{1,20}$/;

/** The command that words begin with, and what follows its name; a path is a command of its own. */
export function commandFor(words: readonly string[]): { command: Command; rest: readonly string[] } {
  const [name = '', ...rest] = words;
  const command = COMMANDS.find((each) => each.name === name);
  if (command) return { command, rest };
  if (isPath(name)) return { command: byPath, rest: words };
  const near = COMMANDS.find((each) => each.name.startsWith(name.slice(0, 2)));
  const shown = NAME.test(name) ? `command ${name}` : 'such command';
  throw new Misunderstood(`there is no ${shown}${near ? `; did you mean ${near.name}?` : ''}`);
}

/** Every command, in the order of --help. */
export const COMMANDS: readonly Command[] = [
  ...namedCommands,
  byPath,
  quoteCommand(commandFor),
  routesCommand,
  creditCommand,
  walletCommand,
  spendingCommand,
  resumeCommand,
  mcpCommand,
  completionCommand,
];
