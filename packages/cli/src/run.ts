import { oneLine } from '@asset-gateway/protocol';
import type { FoundCommand } from './commands/command.ts';
import { COMMANDS, commandFor, completeWords } from './commands/index.ts';
import { calledAs, gatewayUrl, rpcUrl, version } from './config.ts';
import { EXIT, exitCodeFor, failureSentence, type Peers, RESEND_HINT } from './failure.ts';
import { commandHelp, programHelp } from './help.ts';
import { COMMON, readArguments } from './options.ts';
import { type RunOptions, Session } from './session.ts';

/** The options of all commands, for a first parse that finds the command. */
const ALL = Object.assign({}, ...COMMANDS.map(({ options }) => options), COMMON);

/** The options of a command. `quote` also takes those of the quoted command. */
async function optionsFor({ command, rest }: FoundCommand, gateway: string) {
  const quoted = command.name === 'quote' && rest.length > 0 ? (await commandFor(rest, gateway)).command.options : {};
  return { ...quoted, ...command.options, ...COMMON };
}

async function runWords(args: readonly string[], options: RunOptions): Promise<number> {
  const loose = readArguments(args, ALL, false);
  if (loose.values.is('version')) {
    process.stdout.write(`${version}\n`);
    return EXIT.ok;
  }
  if (loose.words.length === 0) {
    const wantsHelp = loose.values.is('help');
    if (!wantsHelp && args.length > 0) readArguments(args, COMMON, true);
    (wantsHelp ? process.stdout : process.stderr).write(programHelp(COMMANDS));
    return wantsHelp ? EXIT.ok : EXIT.usage;
  }
  const gateway = loose.values.text('gateway') ?? gatewayUrl();
  const found = await commandFor(loose.words, gateway);
  const { command } = found;
  const named = loose.words.length - found.rest.length;
  if (loose.values.is('help')) {
    process.stdout.write(commandHelp(command));
    return EXIT.ok;
  }
  const { words, values } = readArguments(args, await optionsFor(found, gateway), true);
  const session = new Session(values, options);
  return command
    .run({ words: words.slice(named), values, session })
    .catch(async (error) => Promise.reject(await session.failure(error)));
}

const MAX_SENTENCE = 2000;

/** The gateway and the RPC, for the message about a failed connection. */
function peersIn(args: readonly string[]): Peers {
  const { values } = readArguments(args, ALL, false);
  return { gateway: values.text('gateway') ?? gatewayUrl(), rpc: values.text('rpc') ?? rpcUrl() };
}

/** Runs a command line and returns its exit code. An error becomes one sentence that says what to do. */
export async function run(args: readonly string[], options: RunOptions = {}): Promise<number> {
  if (args[0] === 'complete' && args[1] === '--') {
    completeWords(COMMANDS, args.slice(2));
    return EXIT.ok;
  }
  try {
    return await runWords(args, options);
  } catch (error) {
    const sentence = failureSentence(error, peersIn(args));
    process.stderr.write(`${calledAs().name}: ${oneLine(sentence, MAX_SENTENCE)}\n`);
    if (exitCodeFor(error) === EXIT.paymentUnknown) process.stderr.write(`${RESEND_HINT}\n`);
    return exitCodeFor(error);
  }
}
