import { oneLine } from '@asset-gateway/protocol';
import { type Hints, show } from './answer.ts';
import type { FoundCommand, RequestCommand } from './commands/command.ts';
import { COMMANDS, commandFor, completeWords } from './commands/index.ts';
import { calledAs, version } from './config.ts';
import { EXIT, exitCodeFor, failureSentence, RESEND_HINT, UsageError } from './failure.ts';
import { commandHelp, programHelp } from './help.ts';
import { COMMON, optionName, readArguments } from './options.ts';
import { type RunOptions, Session } from './session.ts';

/** All commands' options, for a first parse that finds the command. */
const ALL = Object.assign({}, ...COMMANDS.map(({ options }) => options), COMMON);

/** Returns a command's options. `quote` also accepts those of the quoted command. */
async function optionsFor({ command, rest }: FoundCommand, gateway: string) {
  const quoted = command.name === 'quote' && rest.length > 0 ? (await commandFor(rest, gateway)).command.options : {};
  return { ...quoted, ...command.options, ...COMMON };
}

/** Returns how a refusal names a command's parameters, and where users find their values. */
function hintsFor({ options = {}, takes, elsewhere }: RequestCommand, words: readonly string[]): Hints {
  const named = (name: string): string => {
    const option = optionName(name);
    if (Object.hasOwn(options, option)) return `--${option}`;
    return takes === `<${option}>` ? takes : name;
  };
  const isOption = (name: string): boolean => Object.hasOwn(options, optionName(name));
  return {
    elsewhere: elsewhere?.(words),
    issue: ({ name, message }) => {
      const about = isOption(name) ? ` ${options[optionName(name)]?.description ?? ''}` : '';
      return `${name.split(',').map(named).join(', ')}: ${message}${about}`;
    },
  };
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
  const gateway = loose.values.given('gateway').text ?? '';
  const found = await commandFor(loose.words, gateway);
  const { command } = found;
  const named = loose.words.length - found.rest.length;
  if (loose.values.is('help')) {
    process.stdout.write(commandHelp(command));
    return EXIT.ok;
  }
  const { words, values } = readArguments(args, await optionsFor(found, gateway), true);
  const session = new Session(values, options);
  const given = { words: words.slice(named), values, session };
  if (command.takes === '' && given.words.length > 0) throw new UsageError(`${command.name} takes options only`);
  try {
    if ('run' in command) return await command.run(given);
    const response = await session.ask(command.request(given.words, values));
    return await show(session, response, command.formatter, hintsFor(command, given.words));
  } catch (error) {
    throw await session.failure(error);
  }
}

const MAX_SENTENCE = 2000;

/** Runs a command line and returns its exit code. An error becomes one sentence that says what to do. */
export async function run(args: readonly string[], options: RunOptions = {}): Promise<number> {
  if (args[0] === 'complete' && args[1] === '--') {
    completeWords(COMMANDS, args.slice(2));
    return EXIT.ok;
  }
  try {
    return await runWords(args, options);
  } catch (error) {
    const { values } = readArguments(args, ALL, false);
    const peers = { gateway: values.given('gateway').text ?? '', rpc: values.given('rpc').text };
    const sentence = failureSentence(error, peers);
    process.stderr.write(`${calledAs().name}: ${oneLine(sentence, MAX_SENTENCE)}\n`);
    if (exitCodeFor(error) === EXIT.paymentUnknown) process.stderr.write(`${RESEND_HINT}\n`);
    return exitCodeFor(error);
  }
}
