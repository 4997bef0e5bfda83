import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { startEverything } from '../discovery/everything.ts';
import { freePort } from '../http/ports.ts';
import { node, runCommand } from '../kit/command.ts';
import { makeFolder } from '../kit/folder.ts';
import { json, startStrangeGateway } from '../kit/strange-gateway.ts';
import { DEFAULT_PRICES } from '../kit/test-gateway.ts';
import { patternOf } from '../tutorials/reader.ts';

const gateway = await startEverything(DEFAULT_PRICES);
const { mainnet } = gateway.solana;
const env = { HOME: makeFolder(), ASSET_GATEWAY_URL: gateway.url, ASSET_GATEWAY_RPC_URL: mainnet.url };

/** Upstream calls, paid calls and transfers. */
const counts = () => [
  gateway.upstream.arrivals.length,
  gateway.solana.provider.arrivals.length,
  mainnet.transfers.length,
];

const CALLS = 'call 1: paid $…\ncall 2: paid $…';

describe('an example that runs beside a sandbox', () => {
  beforeAll(async () => {
    expect(await runCommand(node('packages/cli/bin/main.js', 'wallet', 'new'), { env })).toMatchObject({ code: 0 });
  });

  it.each([
    ['sign-in.mjs', '200 {"ok":true,…', [1, 0, 0]],
    ['buy.mjs', '200 paid: true in …\n… USDC', [0, 1, 1]],
    ['our-client.mjs', `free: gold…\n${CALLS}\ncall 3: spending_limit`, [1, 2, 2]],
    ['agent.mjs', `tokens_search …\nfree: gold\n…\n${CALLS}\ncall 3: refused: …Nothing was paid.…\n…`, [1, 2, 2]],
  ])('%s does what its page says, and no more', async (name, output, effect) => {
    const before = counts();
    const { code, stdout, stderr } = await runCommand(node(`examples/${name}`), { env });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(patternOf(output, false));
    expect(counts().map((count, index) => count - (before[index] ?? 0))).toEqual(effect);
  });
});

it('agent.mjs stops if nothing listens, and says what to start', async () => {
  const place = `http://127.0.0.1:${await freePort()}`;
  const { code, stderr } = await runCommand(node('examples/agent.mjs'), { env: { ...env, ASSET_GATEWAY_URL: place } });
  expect([code, stderr]).toEqual([1, expect.stringContaining(`nothing listens on ${place}; run npm start first`)]);
});

it('W40 curl.sh runs no command of a hostile gateway', async () => {
  const gateway = await startStrangeGateway();
  const made = join(makeFolder(), 'made');
  const info = { domain: `$(touch ${made})`, uri: 'u', statement: 's', version: '1', nonce: 'n', issuedAt: 'i' };
  const body = { extensions: { 'sign-in-with-x': { info } } };
  gateway.answer((_, response) => json(response, 402, body, { 'Replay-Nonce': 'n"|e;#' }));
  await runCommand(['sh', 'examples/curl.sh'], { env: { ...env, ASSET_GATEWAY_URL: gateway.url } });
  expect([gateway.arrivals.length, existsSync(made)]).toEqual([3, false]);
});

it.each([
  ['sign-in.mjs', 'ASSET_GATEWAY_URL'],
  ['buy.mjs', 'ASSET_GATEWAY_RPC_URL'],
  ['our-client.mjs', 'ASSET_GATEWAY_RPC_URL'],
  ['curl.sh', 'ASSET_GATEWAY_URL'],
])('%s says in one sentence what to start if nothing listens', async (name, variable) => {
  const place = `http://127.0.0.1:${await freePort()}`;
  const program = name.endsWith('.sh') ? ['sh', `examples/${name}`] : node(`examples/${name}`);
  const outcome = await runCommand(program, { env: { ...env, [variable]: place } });
  const sentence = `Nothing answers at ${place}. Run npm start in another terminal first.\n`;
  expect(outcome).toEqual({ code: 1, stdout: '', stderr: sentence });
});
