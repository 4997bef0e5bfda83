import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
// @ts-expect-error It is a script.
import { USAGE } from '../../scripts/usage.mjs';
import { node, type Outcome, runCommand } from '../kit/command.ts';
import { makeFolder } from '../kit/folder.ts';
import { findProgram } from '../kit/optional.ts';
import { isFull } from '../kit/rounds.ts';
import { compileGateway } from './program.ts';

const { version, scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly version: string;
  readonly scripts: Readonly<Record<string, string>>;
};
const NAMES = Object.keys(scripts).filter((name) => scripts[name]?.startsWith('node scripts/run.mjs'));
const HELP = ['--help', '-h'];

const usage = (line: string) => expect.stringMatching(new RegExp(`^Usage: ${line}(?!\\w)`));
const asked = (line: string): Outcome => ({ code: 0, stdout: usage(line), stderr: '' });
const notUnderstood = (line: string): Outcome => ({ code: 2, stdout: '', stderr: usage(line) });

describe('in a clone without installed packages', () => {
  const [clone, home] = [makeFolder(), makeFolder()];
  const FILES = ['package.json', '.npmrc', 'scripts'];
  beforeAll(() => {
    for (const name of FILES) cpSync(name, join(clone, name), { recursive: true });
  });
  afterAll(() => {
    for (const folder of [clone, home]) rmSync(folder, { recursive: true, force: true });
  });

  const seen = (): string[] => readdirSync(clone, { recursive: true }).map(String).sort();

  /** Runs a script there and expects no new file. */
  async function run(words: readonly string[]): Promise<Outcome> {
    const before = seen();
    const outcome = await runCommand(words, { cwd: clone, env: { HOME: home } });
    expect(seen()).toEqual(before);
    return outcome;
  }

  it('these commands have help', () => {
    expect(NAMES.sort()).toEqual([
      'ask',
      'changeset',
      'dev',
      'docs',
      'doctor',
      'gateway',
      'mcpb',
      'measure',
      'measure:books',
      'measure:credit',
      'measure:nodes',
      'measure:path',
      'measure:worst',
      'simulate',
      'site',
      'start',
      'test',
    ]);
  });

  /** Both words for every command with ROUNDS=full, else one for a few, since all usages are in one table. */
  const ASKED = (isFull ? NAMES : ['start', 'ask', 'measure:path']).flatMap((name, at) =>
    HELP.filter((_, word) => isFull || word === at % 2).map((word) => [name, word] as const),
  );

  const usageOf = (name: string) => usage(name === 'start' || name === 'test' ? `npm ${name}` : `npm run ${name}`);

  it.each(NAMES)('%s has a usage of its own', (name) => expect(USAGE[name]).toEqual(usageOf(name)));

  it.each(ASKED)('%s %s prints its usage', async (name, word) => {
    expect(await run(node('scripts/run.mjs', name, word))).toEqual({ code: 0, stdout: usageOf(name), stderr: '' });
  });

  it('npm passes --help on', async () => {
    const npm = findProgram('npm') ?? 'npm';
    const { code, stdout } = await run([
      npm,
      'run',
      '--silent',
      '--no-update-notifier',
      '--cache',
      home,
      'docs',
      '--',
      '--help',
    ]);
    expect([code, stdout]).toEqual([0, usage('npm run docs')]);
  });

  it('--help without a command lists all commands', async () => {
    expect(await run(node('scripts/run.mjs', '--help'))).toEqual(asked('node scripts/run.mjs <command>'));
  });

  it.each(isFull ? [[[]], [['strat']], [['constructor']], [['--verbose']]] : [[[]], [['constructor']]])(
    '%j is no command',
    async (words) => {
      expect(await run(node('scripts/run.mjs', ...words))).toEqual(notUnderstood('node scripts/run.mjs <command>'));
    },
  );

  it.each(isFull ? ['start', 'dev', 'docs', 'site', 'measure'] : ['start', 'docs'])(
    '%s refuses unknown arguments',
    async (name) => {
      const line = name === 'start' ? 'npm start' : `npm run ${name}`;
      expect(await run(node('scripts/run.mjs', name, 'something'))).toEqual(notUnderstood(line));
    },
  );
});

describe('the programs themselves', () => {
  const MAIN = 'packages/gateway/bin/main.js';
  const SANDBOX = 'packages/sandbox/bin/start.js';
  beforeAll(compileGateway, 120_000);

  it.each(isFull ? HELP : ['-h'])('asset-gateway %s says how it is used', async (word) => {
    expect(await runCommand(node(MAIN, word))).toEqual(asked('asset-gateway'));
    const doctor = await runCommand(node(MAIN, 'doctor', word));
    expect(doctor).toEqual(asked('asset-gateway doctor <url>'));
    // The doctor on its own is also started as it is published.
    if (isFull) expect(await runCommand(node('packages/doctor/dist/main.js', word))).toEqual(doctor);
  });

  it('asset-gateway --version is that of the package', async () => {
    expect(await runCommand(node(MAIN, '--version'))).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  it.each(isFull ? ['start', 'docter', '--port', '--versions'] : ['docter', '--versions'])(
    'asset-gateway %s is no command, and starts nothing',
    async (word) => {
      const { code, stdout, stderr } = await runCommand(node(MAIN, word), { env: { TOKENS_API_KEY: 'k', PORT: '0' } });
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(new RegExp(`^asset-gateway: there is no command "${word}"\\.\nUsage: asset-gateway\n`));
    },
  );

  it.each(isFull ? HELP : ['-h'])('asset-gateway-sandbox %s says how it is used, and starts nothing', async (word) => {
    expect(await runCommand(node(SANDBOX, word))).toEqual(asked('asset-gateway-sandbox'));
  });

  it.each(isFull ? ['start', '--port'] : ['--port'])(
    'asset-gateway-sandbox %s is no command, and starts nothing',
    async (word) => {
      const { code, stdout, stderr } = await runCommand(node(SANDBOX, word), { env: { PORT: '0' } });
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(new RegExp(`^asset-gateway-sandbox: there is no command "${word}"\\.\nUsage: `));
    },
  );

  it.each(isFull ? HELP : ['--help'])('ask %s prints the usage of the repository command', async (word) => {
    const env = { npm_lifecycle_event: 'ask' };
    const own = await runCommand(node('packages/cli/bin/main.js', word), { env });
    expect(own).toEqual(asked('npm run ask'));
    expect(own.stdout).toBe((await runCommand(node('scripts/run.mjs', 'ask', word), { env })).stdout);
  });

  it('ask without a word says how it is used', async () => {
    const env = { npm_lifecycle_event: 'ask' };
    expect(await runCommand(node('packages/cli/bin/main.js'), { env })).toEqual(notUnderstood('npm run ask'));
    expect(await runCommand(node('packages/cli/bin/main.js'))).toEqual(notUnderstood('asset-gateway-client'));
  });
});
