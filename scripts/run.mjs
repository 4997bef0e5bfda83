import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { changeset } from './changeset.mjs';
import { dev, isInspect } from './dev.mjs';
import { docs } from './docs.mjs';
import { alone, build, checkNode, install } from './setup.mjs';
import { site } from './site.mjs';
import { test } from './test.mjs';
import { COMMANDS, USAGE } from './usage.mjs';

const PROGRAMS = {
  start: '../packages/sandbox/bin/start.js',
  gateway: '../packages/gateway/bin/main.js',
  doctor: '../packages/doctor/dist/main.js',
  ask: '../packages/cli/bin/main.js',
};

/** Commands that take nothing but a call for help. */
const WITHOUT_WORDS = ['start', 'docs', 'site', 'measure', 'measure:credit', 'measure:books', 'measure:nodes', 'setup'];

/** Commands that need neither the dependencies nor the packages. */
const STANDALONE = ['site', 'changeset'];

const SIMULATE_WORDS = ['--held-out', '--quick', '--json'];

const isHelp = (word) => word === '--help' || word === '-h';

/** Ends the process with what a command says about itself, before anything is set up. */
function explain(usage, isAsked) {
  (isAsked ? process.stdout : process.stderr).write(usage);
  process.exit(isAsked ? 0 : 2);
}

const [command = '', ...words] = process.argv.slice(2);
const usage = Object.hasOwn(USAGE, command) ? USAGE[command] : undefined;
if (usage === undefined) explain(COMMANDS, isHelp(command));
/** The client has its own help, once it is built, and help for each of its commands. */
const isBuilt = existsSync(new URL(PROGRAMS.ask, import.meta.url));
const hasOwnHelp = command === 'ask' && (isBuilt || !words[0]?.startsWith('-'));
if (words.some(isHelp) && !hasOwnHelp) explain(usage, true);
if (words.length > 0 && WITHOUT_WORDS.includes(command)) explain(usage, false);
if (command === 'dev' && !words.every(isInspect)) explain(usage, false);

if (command === 'simulate' && !words.every((word) => SIMULATE_WORDS.includes(word))) explain(usage, false);

const launchedFrom = process.cwd();
process.chdir(fileURLToPath(new URL('..', import.meta.url)));
checkNode();
if (!STANDALONE.includes(command)) {
  alone(() => {
    install();
    build();
  });
}
if (command === 'test') test(words);
else if (command === 'dev') await dev(words);
else if (command === 'docs') await docs();
else if (command === 'site') site();
else if (command === 'changeset') await changeset(words);
else if (command === 'mcpb')
  await (await import('./mcpb.mjs')).mcpb(resolve(launchedFrom, words[0] ?? 'asset-gateway.mcpb'));
else if (command === 'measure') await (await import('./measure/measure.mjs')).measure();
else if (command === 'measure:credit') await (await import('./measure/credit.mjs')).measureCredit();
else if (command === 'measure:books') await (await import('./measure/books.mjs')).measureBooks();
else if (command === 'measure:nodes') await (await import('./measure/nodes.mjs')).measureNodeCounts();
else if (command === 'measure:worst') await (await import('./measure/worst.mjs')).worst(words);
else if (command === 'simulate') (await import('./simulate/simulate.mjs')).simulate(words);
else if (PROGRAMS[command]) {
  const program = PROGRAMS[command];
  process.chdir(launchedFrom);
  process.setSourceMapsEnabled(true);
  process.argv.splice(1, 2, fileURLToPath(new URL(program, import.meta.url)));
  await import(program);
}
