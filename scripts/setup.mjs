import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installLocked, isInstalled } from './dependencies.mjs';

const STAMPS = '.setup';
const PACKAGES = ['protocol', 'doctor', 'client', 'console', 'gateway', 'cli', 'sandbox'];

/** Ends the process with a sentence that says what to change. */
export function stop(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}

export function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    stop(`Node ${process.versions.node} is too old: install Node 20.19 or later and run this again.`);
  }
}

const sleep = (milliseconds) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Runs steps under this folder's set-up lock, because concurrent installations would corrupt each other. */
export async function alone(steps) {
  const lock = join(STAMPS, 'lock');
  mkdirSync(STAMPS, { recursive: true });
  let isWaiting = false;
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      break;
    } catch {
      const owner = existsSync(lock) ? Number(readFileSync(lock, 'utf8')) : 0;
      if (owner > 0 && !isAlive(owner)) rmSync(lock, { force: true });
      else {
        if (!isWaiting) process.stderr.write('Waiting for another command that is setting up this folder …\n');
        isWaiting = true;
        sleep(200);
      }
    }
  }
  const release = () => rmSync(lock, { force: true });
  process.once('exit', release);
  await steps();
  process.off('exit', release);
  release();
}

function installOnce(folder, what) {
  if (isInstalled(folder)) return;
  process.stderr.write(`Installing ${what} (the first time only) …\n`);
  const fault = installLocked(folder);
  if (fault) stop(fault);
}

export const install = () => installOnce('.', 'the dependencies');

/** Installs a tool that few commands need, from the lock in its own folder. */
export const installTool = (folder) => installOnce(folder, `what ${folder}/ needs`);

const filesIn = (folder) =>
  readdirSync(folder, { recursive: true })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .sort();

const CONSOLE = 'packages/console';

/** What `sources.mjs` writes: results of the build, although they are among the sources. */
export const WRITTEN = [
  'packages/client/src/methods.ts',
  'packages/gateway/src/metrics/alert-texts.ts',
  'packages/gateway/src/stores/sql/changes.ts',
  `${CONSOLE}/src/routes/system-rows.ts`,
];

/** `output`: tsc reports errors on standard output, rolldown only what it has built. */
const SOURCES = { words: ['scripts/sources.mjs'], output: 2 };
/** They run at once, because they read only sources. */
const BUILD_STEPS = [
  { words: ['node_modules/typescript-7/bin/tsc', '--build'], output: 2 },
  { words: ['node_modules/vite/bin/vite.js', 'build', CONSOLE], output: 2 },
  { words: ['node_modules/rolldown/bin/cli.mjs', '--config'], output: 'ignore' },
];

async function runStep({ words, output }) {
  // vitest sets NODE_ENV to `test`, with which Vite would keep the error texts that only developers need.
  const env = { ...process.env, NODE_ENV: 'production' };
  const [code] = await once(spawn(process.execPath, words, { stdio: [0, output, 2], env }), 'exit');
  return code;
}

/** Compiles and bundles the packages if their sources have changed. */
export async function build() {
  const pages = ['index.html', 'operate.html', 'vite.config.ts'].map((name) => `${CONSOLE}/${name}`);
  const folders = [...PACKAGES.map((name) => `packages/${name}/src`), `${CONSOLE}/public`];
  const found = folders.flatMap(filesIn).filter((path) => !WRITTEN.includes(path));
  const sources = [...found, ...pages, 'deploy/prometheus/alerts.yaml', 'rolldown.config.mjs', 'scripts/sources.mjs'];
  const content = sources.map((path) => path + readFileSync(path, 'utf8')).join('');
  const result = [
    ...WRITTEN,
    ...PACKAGES.map((name) => `packages/${name}/dist/index.${`packages/${name}` === CONSOLE ? 'html' : 'js'}`),
    'packages/gateway/bin/main.js',
    'packages/cli/bin/main.js',
    'packages/sandbox/bin/start.js',
  ];
  const stamp = join(STAMPS, 'built');
  const hash = createHash('sha256').update(content).digest('hex');
  if ([...result, stamp].every((path) => existsSync(path)) && readFileSync(stamp, 'utf8') === hash) return;
  process.stderr.write('Compiling …\n');
  const first = await runStep(SOURCES);
  const codes = first === 0 ? await Promise.all(BUILD_STEPS.map(runStep)) : [first];
  if (codes.some((code) => code !== 0)) stop('The sources do not compile; see the lines above.');
  writeFileSync(stamp, hash);
}

/** Builds before the first test file starts; vitest calls it. */
export const setup = () => alone(build);
