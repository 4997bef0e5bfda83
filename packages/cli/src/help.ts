import type { Command } from './commands/command.ts';
import { calledAs } from './config.ts';
import { COMMON, type OptionTable } from './options.ts';

/** The columns that every terminal has. */
const WIDTH = 80;

const EXIT_CODES =
  'Exit codes: 0 success, 1 refusal or no answer, 2 wrong usage, 3 spending limit, 4 invalid input, 5 payment outcome unknown, ' +
  '6 payment sent and refused, 7 too little money in the wallet, 75 try again later.';

const NOTES = [
  'Paid calls cost USDC: pay with --pay, or confirm at a terminal. Without a wallet, a temporary key signs.',
  'At a terminal, answers are tables and charts, and long ones are cut. In a pipe, and with --json, they are printed byte for byte.',
  'ASSET_GATEWAY_URL names the gateway; default: http://localhost:8402. NO_COLOR and FORCE_COLOR turn colours off and on.',
  EXIT_CODES,
];

const EXAMPLES = [
  'search gold',
  'price solana',
  'chart solana --interval 1D',
  'balances 86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY --pay',
  `assets/market-snapshots '{"mints":["So11111111111111111111111111111111111111112"]}'`,
];

/** Fills lines with words. A word longer than a line gets a line of its own. */
function filled(words: readonly string[], width: number): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** Returns a text in lines that fit the terminal. */
export const wrapped = (text: string, indent = ''): string =>
  filled(text.split(' '), WIDTH - indent.length).join(`\n${indent}`);

/** Returns rows as two aligned columns. */
function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([first]) => first.length)) + 2;
  const indent = ' '.repeat(width + 2);
  return rows.map(([first, second]) => `  ${first.padEnd(width)}${wrapped(second, indent)}`).join('\n');
}

function optionLines(options: OptionTable): string {
  return columns(
    Object.entries(options).map(([name, { takes, short, description, values }]) => [
      `${short ? `-${short}, ` : ''}--${name}${takes ? ` ${takes}` : ''}`,
      values ? `${description} (${values.join(', ')})` : description,
    ]),
  );
}

const isQuoted = (word = ''): boolean => word.split("'").length % 2 === 0;

/** Splits a command into words as a shell does. Text in single quotes is one word. */
function shellWords(text: string): string[] {
  const words: string[] = [];
  for (const part of text.split(' ')) {
    if (isQuoted(words.at(-1))) words.push(`${words.pop()} ${part}`);
    else words.push(part);
  }
  return words;
}

/** Returns commands for a shell. A command that is longer than a line continues on the next one. */
const shellLines = (examples: readonly string[]): string =>
  examples
    .map((example) => `  ${filled(shellWords(`${calledAs().command} ${example}`), WIDTH - 6).join(' \\\n    ')}`)
    .join('\n');

/** Returns the help of the program. */
export const programHelp = (
  commands: readonly Command[],
): string => `Usage: ${calledAs().command} <command> [<word> …] [<option> …]

Examples:
${shellLines(EXAMPLES)}

Commands:
${columns(commands.map(({ name, takes, summary }) => [`${name} ${takes}`.trim(), summary]))}

Options of every command:
${optionLines(COMMON)}

${NOTES.map((note) => wrapped(note)).join('\n')}
`;

/** Returns the help of one command. */
export function commandHelp({ name, takes, summary, examples, options }: Command): string {
  const own = options && Object.keys(options).length > 0 ? `\nOptions:\n${optionLines(options)}\n` : '';
  const others = Object.fromEntries(Object.entries(COMMON).filter(([option]) => !Object.hasOwn(options ?? {}, option)));
  return `Usage: ${calledAs().command} ${`${name} ${takes}`.trim()} [<option> …]

Examples:
${shellLines(examples)}

${wrapped(`${summary[0]?.toUpperCase()}${summary.slice(1)}.`)}
${own}
Options of every command:
${optionLines(others)}
`;
}
