import { randomUUID } from 'node:crypto';
import { below } from '@asset-gateway/protocol';
import { expect, it } from 'vitest';
import { startEverything } from '../discovery/everything.ts';
import { freePort } from '../http/ports.ts';
import { jsonInit } from '../http/targets.ts';
import { node, runCommand, startCommand } from '../kit/command.ts';
import { makeFolder } from '../kit/folder.ts';
import { MAIN, SOL } from './fixture.ts';

const gateway = await startEverything({ CREDIT: 'on' });
const { mainnet } = gateway.solana;

/** The environment of a user. */
const newUser = () => ({ HOME: makeFolder(), ASSET_GATEWAY_URL: gateway.url, ASSET_GATEWAY_RPC_URL: mainnet.url });

/** Starts `rpc` in a process of its own; answers with the URL that it prints. */
async function startRpc(words: readonly string[], env = newUser()) {
  const command = startCommand(node(MAIN, 'rpc', '--port', '0', ...words), { env, stdin: 'pipe' });
  await expect.poll(command.stdout).toMatch(/\n$/);
  const url = command.stdout().trim();
  const ask = async (method: string, params: unknown): Promise<unknown> => {
    return (await fetch(url, jsonInit({ jsonrpc: '2.0', id: 1, method, params }))).json();
  };
  const end = async (signal: NodeJS.Signals) => {
    command.child.kill(signal);
    return (await command.ended).code;
  };
  return { url, ask, end, stderr: command.stderr };
}

it('rpc prints the only URL that pays, buys credit within the limits, and ends at a signal', async () => {
  const env = newUser();
  const { url, ask, end, stderr } = await startRpc(['--credit'], env);
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{22}$/);
  expect(stderr()).toMatch(/made a wallet.*\n.*paid from the credit of \w+; websockets are not served/s);
  const before = mainnet.transfers.length;
  for (const _ of [1, 2]) expect(below(await ask('getBalance', [SOL]), 'result', 'value')).toBeDefined();
  expect(mainnet.transfers.length - before).toBe(1);
  expect((await fetch(new URL('/', url), { method: 'POST', body: '{}' })).status).toBe(404);
  expect(await end('SIGTERM')).toBe(0);
  const spent = await runCommand(node(MAIN, 'spending'), { env });
  expect(JSON.parse(spent.stdout)).toMatchObject({ dayMicros: 50_000 });
});

it('without --credit and --pay it uses the credit of the wallet and buys none', async () => {
  const env = newUser();
  await runCommand(node(MAIN, 'wallet', 'new'), { env });
  const before = mainnet.transfers.length;
  const { ask, end } = await startRpc(['--path', '/'], env);
  const answer = await ask('getBalance', [SOL]);
  expect(below(answer, 'error', 'message')).toMatch(/Start rpc with --credit to buy credit within the limits\.$/);
  expect(mainnet.transfers.length).toBe(before);
  expect(await end('SIGINT')).toBe(0);
});

it.each<[string, string[], RegExp]>([
  ['without a wallet', [], /--credit makes one and buys credit/],
  ['at a strange path', ['--credit', '--path', 'a/b'], /--path takes letters, digits/],
  ['for what is no origin', ['--credit', '--origin', 'localhost'], /--origin takes origins such as/],
  ['with a fallback that is no URL', ['--credit', '--fallback', randomUUID()], /--fallback takes the http/],
  ['at what is no port', ['--credit', '--port', '70000'], /--port takes a port/],
])('it does not start %s', async (_, words, sentence) => {
  const { code, stderr } = await runCommand(node(MAIN, 'rpc', ...words), { env: newUser() });
  expect([code, stderr]).toEqual([2, expect.stringMatching(sentence)]);
});

it('it does not start at a port that is in use', async () => {
  const port = String(await freePort());
  const words = ['rpc', '--credit', '--port', port];
  const first = startCommand(node(MAIN, ...words), { env: newUser(), stdin: 'pipe' });
  await expect.poll(first.stdout).toMatch(/\n$/);
  const { code, stderr } = await runCommand(node(MAIN, ...words), { env: newUser() });
  expect([code, stderr]).toEqual([2, expect.stringContaining(`port ${port} is in use; choose another one`)]);
  first.child.kill('SIGTERM');
  await first.ended;
});
