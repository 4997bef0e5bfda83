import { chmodSync, chownSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { newKeypair } from '@asset-gateway/client/node';
import { describe, expect, it } from 'vitest';
import { node, startCommand } from '../kit/command.ts';
import { makeFolder } from '../kit/folder.ts';
import { type Program, startProgram } from '../process/program.ts';
import { SOLD } from './faults.ts';

const KEY = 'CANARY_key_of_the_upstream';

const folder = makeFolder();
let folders = 0;

/** The path of a folder that is not there yet. */
const freshFolder = (): string => join(folder, `data-${folders++}`);

const NOBODY = 65_534;

/** Starts with valid variables, its own folder, and these changes. */
const start = (variables: NodeJS.ProcessEnv = {}): Program =>
  startProgram({ PORT: '0', DATA_DIR: freshFolder(), TOKENS_API_KEY: KEY, ...variables });

/** The sentences of a start that fails, once it has ended with exit code 1 and without a stack. */
async function faultsOf(program: Pick<Program, 'ended' | 'stdout' | 'stderr'>): Promise<string[]> {
  expect(await program.ended).toBe(1);
  expect(program.stdout()).toBe('');
  const lines = program.stderr().trimEnd().split('\n');
  for (const line of lines)
    expect(line).toMatch(/^asset-gateway: [A-Z][A-Z_]+\b.*\.$|^asset-gateway: Nothing to serve: .*\.$/);
  expect(program.stderr()).not.toMatch(/CANARY|\.js:|node:/);
  return lines.map((line) => line.slice('asset-gateway: '.length));
}

describe.concurrent('a failing start ends with exit code 1 and says what to change', () => {
  it('names every fault at once, and makes no folder', async () => {
    const path = freshFolder();
    const faults = await faultsOf(start({ DATA_DIR: path, PORT: '70000', TOKENS_API_KEY: 'CANARY with spaces' }));
    expect(faults.map((fault) => /^[A-Z_]+/.exec(fault)?.[0]).sort()).toEqual(['PORT', 'TOKENS_API_KEY']);
    expect(existsSync(path)).toBe(false);
  });

  it.each(['HOST', 'METRICS_HOST'])('%s that is no address of this machine', async (name) => {
    const variables = { METRICS_PORT: '0', GATEWAY_BASE_URL: 'https://gateway.example', [name]: '192.0.2.1' };
    expect(await faultsOf(start(variables))).toEqual([expect.stringMatching(new RegExp(`^${name}: 192\\.0\\.2\\.1`))]);
  });

  it.each(['PORT', 'METRICS_PORT'])('%s in use', async (name) => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;
    const faults = await faultsOf(start({ [name]: String(port) }));
    expect(faults).toEqual([expect.stringMatching(new RegExp(`^${name}: ${port} on 127\\.0\\.0\\.1 is in use`))]);
    await new Promise((resolve) => other.close(resolve));
  });

  it('DATA_DIR below a file', async () => {
    const file = freshFolder();
    writeFileSync(file, '');
    expect(await faultsOf(start({ DATA_DIR: join(file, 'below') }))).toEqual([expect.stringMatching(/^DATA_DIR: /)]);
  });

  it.runIf(existsSync('/proc/self'))('DATA_DIR in a file system that makes no folders', async () => {
    expect(await faultsOf(start({ DATA_DIR: '/proc/gateway/data' }))).toEqual([expect.stringMatching(/^DATA_DIR: /)]);
  });

  it.runIf(process.getuid?.() === 0)('FEE_PAYER_KEYPAIR that this user may not read', async () => {
    const [home, FEE_PAYER_KEYPAIR] = [freshFolder(), join(folder, 'id.json')];
    mkdirSync(home, { mode: 0o700 });
    chmodSync(folder, 0o755);
    chownSync(home, NOBODY, NOBODY);
    writeFileSync(FEE_PAYER_KEYPAIR, JSON.stringify([...newKeypair()]), { mode: 0o600 });
    const env = { ...SOLD, DATA_DIR: home, FEE_PAYER_KEYPAIR, PORT: '0', TOKENS_API_KEY: KEY, AS_USER: String(NOBODY) };
    const program = startCommand(node('tests/kit/gateway-process.mjs'), { env });
    const ended = program.ended.then(({ code }) => code);
    expect(await faultsOf({ ...program, ended })).toEqual([
      'FEE_PAYER_KEYPAIR names a file that this user may not read.',
    ]);
  });
});
