import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { changeset } from './changeset.mjs';
import { dev, isInspect } from './dev.mjs';
import { alone, build, checkNode, install } from './setup.mjs';
import { docs, pictures, site } from './site.mjs';
import { test, testAll } from './test.mjs';
import { COMMANDS, USAGE } from './usage.mjs';

const PROGRAMS = {
  start: '../packages/sandbox/bin/start.js',
  gateway: '../packages/gateway/bin/main.js',
  doctor: '../packages/doctor/dist/main.js',
  ask: '../packages/cli/bin/main.js',
};

const launchedFrom = process.cwd();

/** All other commands. Scripts that import the compiled packages are loaded after the set-up. */
const SCRIPTS = {
  setup: () => undefined,
  test,
  'test:all': testAll,
  dev,
  site,
  pictures,
  changeset,
  docs,
  mcpb: async ([path = 'asset-gateway.mcpb']) => (await import('./mcpb.mjs')).mcpb(resolve(launchedFrom, path)),
  measure: async () => (await import('./measure/measure.mjs')).measure(),
  'measure:credit': async () => (await import('./measure/measure.mjs')).measureCredit(),
  'measure:path': async () => (await import('../tests/measure/path.mjs')).measurePath(),
  'measure:purchase': async () => (await import('./measure/purchase.mjs')).measurePurchase(),
  'measure:size': async () => (await import('./measure/size.mjs')).measureSize(),
  'measure:worst': async (words) => (await import('../tests/measure/worst/measure.mjs')).worst(words),
};

/** The words that a command accepts: any that its usage names, if it is not listed. */
const ACCEPTED = { dev: isInspect };
const takesWords = (usage) => /^(?:Usage:|\s{6}) .*[<[]/m.test(usage);

/** A command that needs neither the dependencies nor the packages. */
const STANDALONE = ['changeset'];

const isHelp = (word) => word === '--help' || word === '-h';

/** Prints usage and ends the process, before anything is set up. */
function explain(usage, isAsked) {
  (isAsked ? process.stdout : process.stderr).write(usage);
  process.exit(isAsked ? 0 : 2);
}

const [command = '', ...words] = process.argv.slice(2);
const usage = Object.hasOwn(USAGE, command) ? USAGE[command] : undefined;
if (usage === undefined) explain(COMMANDS, isHelp(command));
/** The client has its own help, once it is built. Commands of the client and the gateway have theirs. */
const isBuilt = existsSync(new URL(PROGRAMS.ask, import.meta.url));
const hasCommands = command === 'ask' || command === 'gateway';
const hasOwnHelp = (command === 'ask' && isBuilt) || (hasCommands && !words[0]?.startsWith('-'));
if (words.some(isHelp) && !hasOwnHelp) explain(usage, true);
if (!words.every(ACCEPTED[command] ?? (() => takesWords(usage)))) explain(usage, false);

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
checkNode();
if (!STANDALONE.includes(command)) {
  await alone(() => {
    install();
    return build();
  });
}
// What the sandbox stores is not for git.
if (command === 'start' || command === 'dev') process.env.DATA_DIR ||= resolve('.setup/data');
if (SCRIPTS[command]) await SCRIPTS[command](words);
else {
  const program = PROGRAMS[command];
  process.chdir(launchedFrom);
  process.setSourceMapsEnabled(true);
  process.argv.splice(1, 2, fileURLToPath(new URL(program, import.meta.url)));
  await import(program);
}
