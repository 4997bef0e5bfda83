import { oneLine } from '@asset-gateway/protocol';
import { show } from './answer.ts';
import type { Command, FoundCommand } from './commands/command.ts';
import { COMMANDS, commandFor, completeWords } from './commands/index.ts';
import { calledAs, version } from './config.ts';
import { EXIT, exitCodeFor, failureSentence, RESEND_HINT, UsageError } from './failure.ts';
import { COMMON, type OptionTable, readArguments } from './options.ts';
import { type RunOptions, Session } from './session.ts';

const EXIT_CODES = `Exit codes: 0 success, 1 refusal or no answer, 2 wrong usage, 3 spending limit, 4 invalid input,
  5 payment outcome unknown, 6 payment sent and refused, 75 try again later.`;

const ENVIRONMENT = `ASSET_GATEWAY_URL names the gateway; default: http://localhost:8402. NO_COLOR and FORCE_COLOR turn colours off and on.`;

/** Rows of two aligned columns. */
function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([first]) => first.length)) + 2;
  return rows.map(([first, second]) => `  ${first.padEnd(width)}${second}`).join('\n');
}

function optionLines(options: OptionTable): string {
  return columns(
    Object.entries(options).map(([name, { takes, short, description, values }]) => [
      `${short ? `-${short}, ` : ''}--${name}${takes ? ` ${takes}` : ''}`,
      values ? `${description} (${values.join(', ')})` : description,
    ]),
  );
}

const EXAMPLES = [
  'search gold',
  'price solana',
  'chart solana --interval 1D',
  'balances 86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY --pay',
  `assets/market-snapshots '{"mints":["So11111111111111111111111111111111111111112"]}'`,
];

/** The help of the program. */
function programHelp(commands: readonly Command[]): string {
  const { command } = calledAs();
  return `Usage: ${command} <command> [<word> …] [<option> …]

Examples:
${EXAMPLES.map((example) => `  ${command} ${example}`).join('\n')}

Commands:
${columns(commands.map(({ name, takes, summary }) => [`${name} ${takes}`.trim(), summary]))}

Options of every command:
${optionLines(COMMON)}

Paid calls cost USDC: pay with --pay, or confirm at a terminal. Without a wallet, a temporary key signs.
In a pipe, and with --json, answers are printed byte for byte.
${ENVIRONMENT}
${EXIT_CODES}
`;
}

/** The help of one command. */
function commandHelp({ name, takes, summary, examples, options }: Command): string {
  const { command } = calledAs();
  const own = options && Object.keys(options).length > 0 ? `\nOptions:\n${optionLines(options)}\n` : '';
  const others = Object.fromEntries(Object.entries(COMMON).filter(([option]) => !Object.hasOwn(options ?? {}, option)));
  return `Usage: ${command} ${`${name} ${takes}`.trim()} [<option> …]

Examples:
${examples.map((example) => `  ${command} ${example}`).join('\n')}

${summary[0]?.toUpperCase()}${summary.slice(1)}.
${own}
Options of every command:
${optionLines(others)}
`;
}

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
    return await show(session, await session.ask(command.request(given.words, values)), command.view);
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
