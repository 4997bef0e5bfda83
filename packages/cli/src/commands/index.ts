import { type Complete, RootCommand, script } from '@bomb.sh/tab';
import { EXIT, UsageError } from '../failure.ts';
import { CLUSTER, COMMON } from '../options.ts';
import { absolutePath, readRequest, rowAt } from '../request.ts';
import { apiCommandFor } from './api.ts';
import { namedCommands } from './by-name.ts';
import type { Command, FoundCommand } from './command.ts';
import { quoteCommand, routesCommand } from './quote.ts';
import { resumeCommand, spendingCommand } from './spending.ts';
import { typesCommand } from './types.ts';
import { creditCommand, walletCommand } from './wallet.ts';

/** The MCP server. Only this command loads its packages. */
const mcpCommand: Command = {
  name: 'mcp',
  takes: '[--http [<port>]]',
  summary: 'an MCP server with these commands as tools',
  examples: ['mcp', 'mcp --budget-usd 0.05', 'mcp --tools=all', 'mcp --http 8405'],
  options: {
    'budget-usd': { takes: '<usd>', description: 'the budget of 24 hours without asking; default: 0' },
    'pay-by': {
      takes: '<whose>',
      description: "the wallet that pays; default: the client's if it can",
      values: ['client', 'server'],
    },
    tools: { takes: '<set>', description: 'the usual tools, or one for each method', values: ['usual', 'all'] },
    ...CLUSTER,
    http: { description: 'serve HTTP on 127.0.0.1, without a wallet' },
  },
  run: async (given) => (await import('../mcp/command.ts')).serveMcp(given),
};

/** A local Solana RPC. */
const rpcCommand: Command = {
  name: 'rpc',
  takes: '',
  summary: 'without a method: a local Solana RPC for other programs, paid from credit',
  examples: ['rpc --credit', 'rpc --credit --port 8899 --fallback https://api.mainnet-beta.solana.com'],
  options: {
    port: { takes: '<port>', description: 'the port on 127.0.0.1; default: 8899' },
    path: { takes: '<name>', description: 'a fixed path of its URL instead of a random one; / for none' },
    origin: { takes: '<origin>', description: 'origins of web pages that may ask, with commas between them' },
    fallback: { takes: '<url>', description: 'the RPC for methods that the gateway does not sell' },
    ...CLUSTER,
  },
  run: async (given) => (await import('../rpc/command.ts')).serveRpc(given),
};

const SHELLS = ['bash', 'zsh', 'fish'];
const PROGRAM = 'asset-gateway-client';

/** Prints a shell's completions of these words. */
export function completeWords(commands: readonly Command[], words: readonly string[]): void {
  const suggest = (values: readonly string[]) => (complete: Complete) => {
    for (const value of values) complete(value, '');
  };
  const root = new RootCommand();
  for (const { name, summary, completes, options } of commands.filter((each) => /^\w/.test(each.name))) {
    // The server called `rpc` has options of its own besides those of the methods.
    const target = root.commands.get(name) ?? root.command(name, summary);
    if (completes) target.argument('word', suggest(completes));
    for (const [option, { takes, description, values = [] }] of Object.entries({ ...options, ...COMMON }))
      target.option(option, description, takes ? suggest(values) : undefined);
  }
  root.parse([...words]);
}

/** The completion script of a shell. */
const completionCommand: Command = {
  name: 'completion',
  takes: SHELLS.join('|'),
  summary: 'the completion script for your shell',
  examples: [
    'completion bash >> ~/.bashrc',
    'completion zsh >> ~/.zshrc',
    'completion fish > ~/.config/fish/completions/asset-gateway-client.fish',
  ],
  completes: SHELLS,
  async run({ words: [shell = '', ...more] }) {
    if (!SHELLS.includes(shell) || more.length > 0) throw new UsageError(`completion takes ${SHELLS.join(', ')}`);
    script(shell, PROGRAM, PROGRAM);
    return EXIT.ok;
  },
};

/** Whether a word is a path. */
const isPath = (word: string): boolean => word.includes('/') || rowAt(absolutePath(word)) !== undefined;

/** A request by path, for any route, even one without a command. */
const byPath: Command = {
  name: '<path>',
  takes: '[<json body>]',
  summary: 'request a path such as assets/solana; a JSON body makes it a POST',
  examples: ['assets/solana', `assets/market-snapshots '{"mints":["…"]}'`],
  request: readRequest,
};

/** An unknown word is shown only if it is too short to be a key. */
const NAME = /^[\w-]{1,20}$/;

/** Returns the command at the start of the words, and its arguments. A path and an API of the gateway are commands too. */
export async function commandFor(words: readonly string[], gateway: string): Promise<FoundCommand> {
  const [name = '', ...rest] = words;
  // With a method, `rpc` is a request. Alone, it is a server.
  const named = COMMANDS.filter((each) => each.name === name);
  const command = named.find(({ takes }) => rest.length > 0 || takes === '') ?? named[0];
  if (command) return { command, rest };
  if (isPath(name)) return { command: byPath, rest: words };
  const near = COMMANDS.find((each) => each.name.startsWith(name.slice(0, 2)));
  const shown = NAME.test(name) ? `command ${name}` : 'such command';
  const hint = near ? `; did you mean ${near.name}?` : '';
  const found = await apiCommandFor(words, gateway).catch((error) => {
    if (!near) throw error;
    throw new UsageError(`there is no ${shown}, and the gateway does not say whether it has such an API${hint}`);
  });
  if (found) return found;
  throw new UsageError(`there is no ${shown}${hint}`);
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
  typesCommand,
  mcpCommand,
  rpcCommand,
  completionCommand,
];
