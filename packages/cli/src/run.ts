import { oneLine } from '@asset-gateway/protocol';
import { SEND_AGAIN } from './answer.ts';
import type { Command } from './commands/command.ts';
import { completeWords } from './commands/completion.ts';
import { COMMANDS, commandFor } from './commands/index.ts';
import { calledAs, gatewayUrl, rpcUrl } from './config.ts';
import { EXIT, exitCodeFor } from './exit-code.ts';
import { failureSentence, type Peers } from './failure.ts';
import { commandHelp, programHelp } from './help.ts';
import { COMMON, readArguments } from './options.ts';
import { type RunOptions, Session } from './session.ts';
import { version } from './version.ts';

/** Every option that any command takes: enough to tell words from values. */
const ALL = Object.assign({}, ...COMMANDS.map(({ options }) => options), COMMON);

/** What the options of a command are; `quote` takes those of what it quotes. */
function optionsFor(command: Command, rest: readonly string[]) {
  const quoted = command.name === 'quote' && rest.length > 0 ? commandFor(rest).command.options : {};
  return { ...quoted, ...command.options, ...COMMON };
}

async function runWords(args: readonly string[], options: RunOptions): Promise<number> {
  const loose = readArguments(args, ALL, false);
  if (loose.values.is('version')) {
    process.stdout.write(`${version}\n`);
    return EXIT.ok;
  }
  if (loose.words.length === 0) {
    const isAsked = loose.values.is('help');
    if (!isAsked && args.length > 0) readArguments(args, COMMON, true);
    (isAsked ? process.stdout : process.stderr).write(programHelp(COMMANDS));
    return isAsked ? EXIT.ok : EXIT.usage;
  }
  const { command, rest } = commandFor(loose.words);
  if (loose.values.is('help')) {
    process.stdout.write(commandHelp(command));
    return EXIT.ok;
  }
  const { values } = readArguments(args, optionsFor(command, rest), true);
  const session = new Session(values, options);
  return command
    .run({ words: rest, values, session })
    .catch(async (error) => Promise.reject(await session.failure(error)));
}

const MAX_SENTENCE = 2000;

/** The gateway and the RPC that were meant, for the sentence about one that did not answer. */
function peersIn(args: readonly string[]): Peers {
  const { values } = readArguments(args, ALL, false);
  return { gateway: values.text('gateway') ?? gatewayUrl(), rpc: values.text('rpc') ?? rpcUrl() };
}

/** Runs the command with these words; answers with its exit code. What goes wrong is one sentence that says what to do. */
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
    if (exitCodeFor(error) === EXIT.paymentUnknown) process.stderr.write(`${SEND_AGAIN}\n`);
    return exitCodeFor(error);
  }
}
