import { show } from '../answer.ts';
import { UsageError } from '../exit-code.ts';
import { absolutePath, readRequest, rowOf } from '../request.ts';
import { namedCommands } from './by-name.ts';
import type { Command } from './command.ts';
import { completionCommand } from './completion.ts';
import { creditCommand } from './credit.ts';
import { mcpCommand } from './mcp.ts';
import { quoteCommand } from './quote.ts';
import { resumeCommand } from './resume.ts';
import { routesCommand } from './routes.ts';
import { spendingCommand } from './spending.ts';
import { walletCommand } from './wallet.ts';

/** Whether a word is a path. */
const isPath = (word: string): boolean => word.includes('/') || rowOf(absolutePath(word)) !== undefined;

/** A request by its path: any route, also those without a command. */
const byPath: Command = {
  name: '<path>',
  takes: '[<json body>]',
  summary: 'request a path such as assets/solana; a JSON body makes it a POST',
  examples: ['assets/solana', `assets/market-snapshots '{"mints":["…"]}'`],
  request: (words) => readRequest(words),
  run: async ({ words, session }) => show(session, await session.ask(readRequest(words))),
};

/** An unknown word is shown only if it is too short to be a key. */
const NAME = /^[\w-]{1,20}$/;

/** The command at the start of the words, and its arguments. A path is a command too. */
export function commandFor(words: readonly string[]): { command: Command; rest: readonly string[] } {
  const [name = '', ...rest] = words;
  const command = COMMANDS.find((each) => each.name === name);
  if (command) return { command, rest };
  if (isPath(name)) return { command: byPath, rest: words };
  const near = COMMANDS.find((each) => each.name.startsWith(name.slice(0, 2)));
  const shown = NAME.test(name) ? `command ${name}` : 'such command';
  throw new UsageError(`there is no ${shown}${near ? `; did you mean ${near.name}?` : ''}`);
}

/** All commands, in the order of --help. */
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
