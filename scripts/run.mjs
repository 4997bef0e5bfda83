import { fileURLToPath } from 'node:url';
import { docs } from './docs.mjs';
import { alone, build, checkNode, install, stop } from './setup.mjs';
import { test } from './test.mjs';

const PROGRAMS = {
  start: ['../packages/sandbox/dist/start.js'],
  gateway: ['../packages/gateway/dist/main.js'],
  doctor: ['../packages/gateway/dist/main.js', 'doctor'],
  ask: ['../packages/client/dist/ask.js'],
};

const [command = '', ...words] = process.argv.slice(2);
const launchedFrom = process.cwd();
process.chdir(fileURLToPath(new URL('..', import.meta.url)));
checkNode();
alone(() => {
  install();
  build();
});
if (command === 'test') test(words);
else if (command === 'docs') await docs();
else if (PROGRAMS[command]) {
  const [program, ...ownWords] = PROGRAMS[command];
  process.chdir(launchedFrom);
  process.argv.splice(1, 2, fileURLToPath(new URL(program, import.meta.url)), ...ownWords);
  await import(program);
} else if (command !== 'setup')
  stop(`Unknown command; one of ${['setup', 'test', 'docs', ...Object.keys(PROGRAMS)].join(', ')}.`);
