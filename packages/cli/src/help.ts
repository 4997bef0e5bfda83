import type { Command } from './commands/command.ts';
import { calledAs } from './config.ts';
import { COMMON, type OptionTable } from './options.ts';

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
export function programHelp(commands: readonly Command[]): string {
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
export function commandHelp({ name, takes, summary, examples, options }: Command): string {
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
