import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
// @ts-expect-error It is a script.
import { USAGE } from '../../scripts/usage.mjs';
import { node, type Outcome, runCommand } from '../kit/command.ts';
import { makeFolder } from '../kit/folder.ts';

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
