import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestGateway } from '../kit/test-gateway.ts';
import { startEverything } from './everything.ts';
import { officialFetch } from './official-fetch.ts';

const FOLDER = 'tests/discovery/generated-client';
const CALLS = `${FOLDER}/calls.ts`;
const TYPES = `${FOLDER}/paths.d.ts`;
const COMPILER = 'node_modules/typescript-7/bin/tsc';

/** The calls, without their generated types. */
interface Calls {
  callsAt(
    baseUrl: string,
    send: typeof fetch,
  ): Readonly<Record<string, readonly (() => Promise<{ data?: unknown; error?: unknown; response: Response }>)[]>>;
}

/** Faults in the calls: the right and the wrong text. */
const FAULTS = [
  ['an unknown path', "'/healthz'", "'/health'"],
  ['an invalid value', "provider: 'tokens'", "provider: 'gateway'"],
  ['a missing required parameter', "q: 'sol', limit: 5", 'limit: 5'],
  ['a body of another type', 'mints: [WRAPPED_SOL]', 'mints: WRAPPED_SOL'],
  ['a word outside the enum', "{ encoding: 'base64' }", "{ encoding: 'base63' }"],
] as const;
const fileWith = (fault: string): string => `calls-with-${fault.replaceAll(' ', '-')}.ts`;

const OPTIONS = [
  ...['--ignoreConfig', '--noEmit', '--strict', '--exactOptionalPropertyTypes', '--allowImportingTsExtensions'],
  ...['--target', 'es2022', '--module', 'nodenext', '--lib', 'es2023,dom,dom.iterable', '--pretty', 'false'],
];

/** Compiler messages for the calls and, in other files, for each fault. */
function compile(): string[] {
  mkdirSync('.setup', { recursive: true });
  const folder = mkdtempSync('.setup/generated-client-');
  const text = readFileSync(CALLS, 'utf8');
  const files = [
    [basename(TYPES), readFileSync(TYPES, 'utf8')],
    [basename(CALLS), text],
    ...FAULTS.map(([fault, right, wrong]) => [fileWith(fault), text.replace(right, wrong)]),
  ] as const;
  for (const [name, content] of files) writeFileSync(join(folder, name), content);
  const names = files.map(([name]) => join(folder, name));
  const { stdout } = spawnSync(process.execPath, [COMPILER, ...OPTIONS, ...names], { encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  return stdout.split('\n').filter((line) => line !== '');
}

let gateway: TestGateway;
let origin: string;
let send: typeof fetch;
beforeAll(async () => {
  gateway = await startEverything();
  const document = await (await fetch(`${gateway.url}/openapi.json`)).json();
  origin = document.servers[0].url;
  writeFileSync(TYPES, astToString(await openapiTS(document)));
  send = await officialFetch(gateway);
}, 60_000);
afterAll(async () => {
  await gateway.stop();
  rmSync(TYPES, { force: true });
});

describe('a client generated from the document', () => {
  let complaints: readonly string[];
  beforeAll(() => {
    complaints = compile();
  }, 60_000);

  it('compiles strictly', () => {
    expect(complaints.filter((line) => !line.includes('/calls-with-') && !line.startsWith(' '))).toEqual([]);
  });

  it.each(FAULTS)('does not compile with %s', (fault, right) => {
    expect(readFileSync(CALLS, 'utf8')).toContain(right);
    expect(complaints.filter((line) => line.includes(`/${fileWith(fault)}(`))).not.toEqual([]);
  });

  it.each([
    ['system', 0],
    ['tokens', 0],
    ['rpc', 3],
    ['das', 3],
    ['wallet', 3],
  ] as const)('calls three routes of %s, for %i payments', async (surface, payments) => {
    const { callsAt } = (await import(resolve(CALLS))) as Calls;
    const transfers = () =>
      (gateway.solana?.mainnet.transfers.length ?? 0) + (gateway.solana?.devnet.transfers.length ?? 0);
    const before = transfers();
    const calls = callsAt(origin, send)[surface] ?? [];
    expect(calls).toHaveLength(3);
    for (const call of calls) {
      const { data, error, response } = await call();
      expect([response.status, error]).toEqual([200, undefined]);
      if (surface !== 'system') expect(data).toMatchObject({ ok: true, surface });
    }
    expect(transfers() - before).toBe(payments);
  });
});
