import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { USAGE } from '../../scripts/usage.mjs';
import { freePort } from '../http/ports.ts';
import { type Command, inTerminal, node, type Outcome, runCommand, startCommand } from '../kit/command.ts';
import { makeFolder } from '../kit/folder.ts';
import { findProgram, suiteWith } from '../kit/optional.ts';

const { version, scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly version: string;
  readonly scripts: Readonly<Record<string, string>>;
};
const NAMES = Object.keys(scripts).filter((name) => scripts[name]?.startsWith('node scripts/run.mjs'));

const usage = (line: string) => expect.stringMatching(new RegExp(`^Usage: ${line}(?!\\w)`));
const asked = (line: string): Outcome => ({ code: 0, stdout: usage(line), stderr: '' });
const notUnderstood = (line: string): Outcome => ({ code: 2, stdout: '', stderr: usage(line) });

describe('in a clone without installed packages', () => {
  const [clone, home] = [makeFolder(), makeFolder()];
  const FILES = ['package.json', '.npmrc', 'scripts'];
  beforeAll(() => {
    for (const name of FILES) cpSync(name, join(clone, name), { recursive: true });
  });

  const seen = (): string[] => readdirSync(clone, { recursive: true }).map(String).sort();

  /** Runs a script there and expects no new file. */
  async function run(words: readonly string[]): Promise<Outcome> {
    const before = seen();
    const outcome = await runCommand(words, { cwd: clone, env: { HOME: home } });
    expect(seen()).toEqual(before);
    return outcome;
  }

  const usageOf = (name: string) => usage(name === 'start' || name === 'test' ? `npm ${name}` : `npm run ${name}`);

  it.each(NAMES)('%s has a usage of its own', (name) => expect(USAGE[name]).toEqual(usageOf(name)));

  it('start --help prints its usage', async () => {
    expect(await run(node('scripts/run.mjs', 'start', '--help'))).toEqual(asked('npm start'));
  });

  it('--help without a command lists all commands', async () => {
    expect(await run(node('scripts/run.mjs', '--help'))).toEqual(asked('node scripts/run.mjs <command>'));
  });

  it.each([
    ['another word is no command', ['constructor'], 'node scripts/run.mjs <command>'],
    ['docs refuses unknown arguments', ['docs', 'something'], 'npm run docs'],
  ])('%s', async (_, words, line) => {
    expect(await run(node('scripts/run.mjs', ...words))).toEqual(notUnderstood(line));
  });
});

describe('the programs themselves', () => {
  const MAIN = 'packages/gateway/bin/main.js';
  const SANDBOX = 'packages/sandbox/bin/start.js';
  const CLIENT = 'packages/cli/bin/main.js';

  it('asset-gateway and its doctor say how they are used', async () => {
    expect(await runCommand(node(MAIN, '-h'))).toEqual(asked('asset-gateway'));
    const doctor = await runCommand(node(MAIN, 'doctor', '--help'));
    expect(doctor).toEqual(asked('asset-gateway doctor <url>'));
    expect(await runCommand(node('scripts/run.mjs', 'gateway', 'doctor', '--help'))).toEqual(doctor);
    // The doctor on its own is also started as it is published.
    expect(await runCommand(node('packages/doctor/dist/main.js', '-h'))).toEqual(doctor);
  });

  it.each([
    ['asset-gateway --version', [MAIN, '--version'], { code: 0, stdout: `${version}\n`, stderr: '' }],
    ['asset-gateway-sandbox -h', [SANDBOX, '-h'], asked('asset-gateway-sandbox')],
    ['asset-gateway-client without a word', [CLIENT], notUnderstood('asset-gateway-client')],
  ])('%s says what it is, and starts nothing', async (_, words, outcome) => {
    expect(await runCommand([process.execPath, ...words])).toEqual(outcome);
  });

  it.each([
    ['asset-gateway', MAIN, '--versions'],
    ['asset-gateway-sandbox', SANDBOX, '--port'],
  ])('%s: another word is no command, and starts nothing', async (name, path, word) => {
    const { code, stdout, stderr } = await runCommand(node(path, word), { env: { TOKENS_API_KEY: 'k', PORT: '0' } });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(new RegExp(`^${name}: there is no command "${word}"\\.\nUsage: ${name}\n`));
  });

  it('ask says how it is used, by --help and without a word', async () => {
    const env = { npm_lifecycle_event: 'ask' };
    const own = await runCommand(node(CLIENT, '--help'), { env });
    expect(own).toEqual(asked('npm run ask'));
    expect(own.stdout).toBe((await runCommand(node('scripts/run.mjs', 'ask', '--help'), { env })).stdout);
    expect(await runCommand(node(CLIENT), { env })).toEqual(notUnderstood('npm run ask'));
  });
});

const START = node('packages/sandbox/bin/start.js');
const ASK = `'${process.execPath}' packages/cli/bin/main.js`;
const MAX_WAIT_MS = 120_000;

const folder = makeFolder();

let folders = 0;
function start(port: number, words = START, variables: NodeJS.ProcessEnv = {}): Command {
  const clone = { npm_package_name: 'asset-gateway-workspace', LOG_FORMAT: 'pretty', SHELL: '/bin/sh' };
  return startCommand(words, {
    env: { ...clone, PORT: String(port), DATA_DIR: `${folder}/${folders++}`, ...variables },
  });
}

/** Waits for this output; rejects if the command ends. */
async function written({ stdout, stderr, ended, child }: Command, text: string | RegExp): Promise<string> {
  const isThere = () => (typeof text === 'string' ? stdout().includes(text) : text.test(stdout()));
  const end = ended.then(() => Promise.reject(new Error(`ended: ${stdout()}${stderr()}`)));
  end.catch(() => undefined);
  while (!isThere()) await Promise.race([end, new Promise((resolve) => child.stdout?.once('data', resolve))]);
  return stdout();
}

const SCREEN_END = /npm run ask -- routes\r?\n\r?\n/;

/** A sandbox with its chains on the next two ports; retried if a port gets taken. */
async function startRow(words = START, attempts = 5): Promise<{ command: Command; port: number; shown: string }> {
  const port = await freePort();
  const command = start(port, words);
  try {
    return { command, port, shown: await written(command, SCREEN_END) };
  } catch (error) {
    if (attempts === 0) throw error;
    return startRow(words, attempts - 1);
  }
}

/** The exports and commands of a start screen. */
function linesIn(shown: string): { exports: string[]; commands: string[] } {
  const lines = [...shown.matchAll(/^ {4}(.*?)\r?$/gm)].map(([, line = '']) => line);
  const isExport = (line: string) => line.startsWith('export ');
  return { exports: lines.filter(isExport), commands: lines.filter((line) => !isExport(line)) };
}

/** Types the exports of a start screen, and then a command. */
const type = (exports: readonly string[], command: string) =>
  runCommand(['sh', '-c', [...exports, command.replace('npm run ask --', ASK)].join('\n')], { env: { HOME: folder } });

async function stopped({ child, ended }: Command): Promise<number | null> {
  child.kill('SIGTERM');
  return (await ended).code;
}

const SCRIPT = findProgram('script');

describe('the sandbox, on a port that is not the usual one', { timeout: MAX_WAIT_MS }, () => {
  let row: Awaited<ReturnType<typeof startRow>>;
  beforeAll(async () => {
    row = await startRow(SCRIPT === undefined ? START : inTerminal(SCRIPT, START));
  }, MAX_WAIT_MS);
  afterAll(() => stopped(row.command));

  suiteWith('script', 'at a terminal', () => {
    it('shows one screen without warnings, then short log lines', async () => {
      const { command, port, shown } = row;
      expect(shown).toMatch(/^\r\n {2}Asset gateway listening on http:\/\/localhost:\d+\r\n\r\n/);
      const lines = shown.split('\r\n');
      expect(lines.length).toBeLessThan(24);
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
      await fetch(`http://127.0.0.1:${port}/healthz`);
      const after = (await written(command, '/healthz')).slice(shown.length);
      expect(after).toMatch(/^\d\d:\d\d:\d\d {2}200 GET \/healthz {2}[\d.]+ ms\r\n$/);
    });
  });

  it('ends with working commands, sells credit, and names the ports of its chains', async () => {
    const { port, shown } = row;
    const { exports, commands } = linesIn(shown);
    expect(exports).toEqual([`export ASSET_GATEWAY_URL=http://localhost:${port}`]);
    expect(commands).toEqual(
      ['price solana', 'credit buy 0.05 --pay', 'routes'].map((each) => `npm run ask -- ${each}`),
    );
    const told: string[] = [];
    for (const each of commands) {
      const { code, stdout, stderr } = await type(exports, each);
      expect([code, stdout === ''], stderr).toEqual([0, false]);
      told.push(stderr);
    }
    expect(told[1]).toMatch(/^made a wallet; .*\npaying \$0\.05 .*\n(?:.*\n)*credit: \$0\.05 left\n$/);
    expect(shown).toContain(`ports ${port + 1} mainnet, ${port + 2} devnet`);
    for (const taken of [port + 1, port + 2]) expect((await fetch(`http://127.0.0.1:${taken}/`)).status).not.toBe(200);
  });

  it('with PORT=0 names the URL of its chain', async () => {
    const command = start(0);
    const { exports, commands } = linesIn(await written(command, SCREEN_END));
    expect(exports[1]).toMatch(/^export ASSET_GATEWAY_RPC_URL=http:\/\/127\.0\.0\.1:\d+$/);
    const outcome = await type(exports, commands[1] ?? '');
    expect(outcome.code, outcome.stderr).toBe(0);
    expect(await stopped(command)).toBe(0);
  });

  it('in a pipe says everything in one line of JSON', async () => {
    const command = start(0, START, { LOG_FORMAT: '' });
    const line = JSON.parse(await written(command, /\n/));
    expect(line).toMatchObject({ sandbox: ['tokens', 'solana'], cache: 'off', credit: 'on', receipts: 'off' });
    expect(line.msg).toBe(`listening on http://${line.address}`);
    expect(await stopped(command)).toBe(0);
  });
});

describe('an unusable port: one sentence that names PORT', { timeout: MAX_WAIT_MS }, () => {
  const refused = async (port: number) => {
    const { code, stderr } = await start(port).ended;
    expect(code).toBe(1);
    return stderr;
  };

  /** The sentences of a start while another program holds this port. */
  const refusedBeside = async (taken: number, port: number) => {
    const server = createServer();
    await new Promise<void>((listening) => server.listen(taken, '127.0.0.1', listening));
    const sentences = await refused(port);
    await new Promise((closed) => server.close(closed));
    return sentences;
  };

  it('beyond the last one', async () => {
    expect(await refused(65_534)).toBe(
      "asset-gateway: PORT must be at most 65533: the sandbox's chains listen on the two ports after it.\n",
    );
  });

  it('in use, the second after it', async () => {
    const port = await freePort();
    expect(await refusedBeside(port + 2, port)).toBe(
      `asset-gateway: PORT: the sandbox needs ${port + 2} on 127.0.0.1 for a chain, but it is in use; ` +
        'set a PORT that is followed by two free ports, or stop the other program.\n',
    );
  });

  it('in use itself', async () => {
    const port = await freePort();
    expect(await refusedBeside(port, port)).toBe(
      `asset-gateway: PORT: ${port} on 127.0.0.1 is in use; stop the other program or change PORT.\n`,
    );
  });
});
