import { readFileSync } from 'node:fs';

const TEXTS = readFileSync(new URL('usage.txt', import.meta.url), 'utf8').split(/\n(?=\n)/);

/** The usage of each command. Printing it installs, writes and starts nothing. */
export const USAGE = Object.fromEntries(
  TEXTS.map((text) => [
    /^Usage: (?:npm run|npm|node scripts\/run\.mjs) (\S+)/.exec(text.trim())?.[1],
    `${text.trim()}\n`,
  ]),
);

/** The usage without a valid command. */
export const COMMANDS = `Usage: node scripts/run.mjs <command>
  One of ${Object.keys(USAGE).join(', ')}; --help after a command explains it.
`;
