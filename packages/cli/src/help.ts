import type { Command } from './commands/command.ts';
import { calledAs } from './config.ts';
import { COMMON, type OptionTable } from './options.ts';

const EXIT_CODES = `Exit codes: 0 a good answer, 1 a refusal or no answer, 2 not understood, 3 a spending limit, 4 invalid input,
  5 the outcome of a payment is not known, 6 a payment was sent and refused, 75 try again later.`;

const ENVIRONMENT = `ASSET_GATEWAY_URL is the gateway that is asked; unset, http://localhost:8402. NO_COLOR and FORCE_COLOR are obeyed.`;

/** Two columns, the second one below each other. */
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

/** What the whole program says of itself. */
export function programHelp(commands: readonly Command[]): string {
  const { command } = calledAs();
  return `Usage: ${command} <command> [<word> …] [<option> …]

Examples:
${EXAMPLES.map((example) => `  ${command} ${example}`).join('\n')}

Commands:
${columns(commands.map(({ name, takes, summary }) => [`${name} ${takes}`.trim(), summary]))}

Options of every command:
${optionLines(COMMON)}

What a call costs is asked for in USDC and paid with --pay, or after a yes at a terminal. Without a wallet a new one signs.
Piped, and with --json, an answer is printed byte for byte.
${ENVIRONMENT}
${EXIT_CODES}
`;
}

/** What one command says of itself. */
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
