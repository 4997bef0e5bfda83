import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../http/ports.ts';
import { type Command, node, startCommand } from '../kit/command.ts';
import { makeFolder } from '../kit/folder.ts';
import { suiteWith } from '../kit/optional.ts';
import { isFull } from '../kit/rounds.ts';

const MAX_WAIT_MS = 240_000;
/** For some seconds after its start the compiler misses changes. */
const SAVED_AGAIN_MS = 5_000;
const COPIED = [
  'packages',
  'scripts',
  'package.json',
  'package-lock.json',
  'tsconfig.base.json',
  'tsconfig.json',
  'rolldown.config.mjs',
];
const OWN = '@asset-gateway';
const ANSWER = 'packages/gateway/src/compose/service.ts';

/** A copy of the sources that resolves its own packages, with everybody else's behind links, and counts as installed. */
function copyTo(folder: string): void {
  for (const name of COPIED) cpSync(name, join(folder, name), { recursive: true, preserveTimestamps: true });
  mkdirSync(join(folder, 'node_modules', OWN), { recursive: true });
  for (const name of readdirSync('node_modules'))
    if (name !== OWN) symlinkSync(resolve('node_modules', name), join(folder, 'node_modules', name));
  for (const name of readdirSync('packages'))
    symlinkSync(join(folder, 'packages', name), join(folder, 'node_modules', OWN, name));
}

/** It compiles everything three times, which takes a minute of two cores. */
const suite: typeof suiteWith = (...parts) => describe.runIf(isFull)('with ROUNDS=full', () => suiteWith(...parts));

suite('setsid', 'npm run dev', (setsid) => {
  const folder = makeFolder();
  const source = join(folder, ANSWER);
  let command: Command;
  let url: string;
  const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
    while (!(await holds())) {
      if (command.child.exitCode !== null) throw new Error(`ended: ${command.stdout()}${command.stderr()}`);
      await pause(100);
    }
  };
  const status = () =>
    fetch(`${url}/healthz`)
      .then((response) => response.json())
      .then((body) => (body as { status: string }).status)
      .catch(() => undefined);
  /** Saves a change, and the file once more where the compiler has not looked at it yet when it was saved. */
  async function change(from: string, to: string, holds: () => boolean | Promise<boolean>): Promise<void> {
    const text = readFileSync(source, 'utf8');
    expect(text).toContain(from);
    const saving = setInterval(() => writeFileSync(source, text.replace(from, to)), SAVED_AGAIN_MS);
    writeFileSync(source, text.replace(from, to));
    await until(holds).finally(() => clearInterval(saving));
  }
  async function start(): Promise<void> {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    // In a group of its own, to which a signal can be sent as a terminal does.
    const words = [setsid, ...node('scripts/run.mjs', 'dev')];
    // Without a PATH there is no npm that could install anything.
    const env = { PATH: '', PORT: String(port), DATA_DIR: join(folder, 'data') };
    command = startCommand(words, { cwd: folder, env });
    await until(async () => (await status()) !== undefined && command.stdout().includes('Watching for file changes'));
  }

  beforeAll(async () => {
    copyTo(folder);
    await start();
  }, MAX_WAIT_MS);
  afterAll(async () => {
    if (command.child.exitCode === null) process.kill(-(command.child.pid ?? 0), 'SIGKILL');
    await command.ended;
  });

  it('shows compiler errors, and serves the last good build', { timeout: MAX_WAIT_MS }, async () => {
    await change("'healthy'", 'nobody', () =>
      /service\.ts.*error TS2304: Cannot find name 'nobody'/.test(command.stdout()),
    );
    await change('nobody', "'mended'", async () => (await status()) === 'mended');
  });

  it.each<[string, NodeJS.Signals, number]>([
    ['Ctrl+C', 'SIGINT', -1],
    ['a signal to it alone', 'SIGTERM', 1],
  ])('ends with all its processes on %s', { timeout: MAX_WAIT_MS }, async (_, signal, sign) => {
    if (command.child.exitCode !== null) await start();
    process.kill(sign * (command.child.pid ?? 0), signal);
    // The output closes with the last process.
    expect((await command.ended).code).toBe(0);
    expect(await status()).toBeUndefined();
  });
});
