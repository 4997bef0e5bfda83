import { rmSync } from 'node:fs';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { ProviderFaultKnobs } from '../../packages/sandbox/src/solana/provider.ts';
import { startSolanaSandbox } from '../../packages/sandbox/src/solana-sandbox.ts';
import { makeFolder } from '../kit/folder.ts';
import { everyThird } from '../kit/rounds.ts';
import { CANARY_PROVIDER_KEY, startSellingGateway } from '../kit/selling-gateway.ts';
import { answersWith, bodyOf, buys, callOf, leaves, paymentFor, ROOMY, sendPaid } from './calls.ts';
import { openWallet } from './wallets.ts';

const dataDir = makeFolder();
const solana = await startSolanaSandbox({ key: CANARY_PROVIDER_KEY });
const start = () => startSellingGateway(ROOMY, { dataDir, solana });
let gateway = await start();
beforeEach(() => solana.provider.faults.reset());
afterAll(async () => {
  await gateway.stop();
  await solana.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const HELIUS = 'rpc.mainnet.helius.getBalance';
const ALCHEMY = 'rpc.devnet.alchemy.getBalance';
const SECRET_WORDS = 'the node at 10.0.0.7 says no';
const error = (code: number): ProviderFaultKnobs => ({ jsonRpcError: { code, message: SECRET_WORDS } });
const body = (value: unknown): ProviderFaultKnobs => ({
  body: typeof value === 'string' ? value : JSON.stringify(value),
});

type Case = readonly [what: string, knobs: ProviderFaultKnobs, status: number, code: string];

const REJECTED: readonly Case[] = [
  ...[-32600, -32602, -32015].map((code): Case => [`${code}`, error(code), 422, 'upstream_rejected']),
  ['-32602 with status 400', { status: 400, message: SECRET_WORDS }, 422, 'upstream_rejected'],
];
const FAILED: readonly Case[] = [
  ...[-32601, -32603, -32000, -32004, -32001, -32003, -32700, 0, 1, 500, -32600.5].map(
    (code): Case => [`${code}`, error(code), 502, 'upstream_error'],
  ),
  ['an error that is no object', body({ jsonrpc: '2.0', id: 1, error: 'no' }), 502, 'upstream_error'],
  ['an error beside a result', body({ jsonrpc: '2.0', id: 1, result: 1, error: { code: 1 } }), 502, 'upstream_error'],
];
const UNUSABLE: readonly Case[] = [
  ['the id of another call', { wrongId: true }],
  ['neither result nor error', { missingResult: true }],
  ['an id that is text', body({ jsonrpc: '2.0', id: '1', result: 1 })],
  ['no id', body({ jsonrpc: '2.0', result: 1 })],
  ['an id that is null', body({ jsonrpc: '2.0', id: null, result: 1 })],
  ['a batch', body([{ jsonrpc: '2.0', id: 1, result: 1 }])],
  ['an empty batch', body([])],
  ['text', body('"result"')],
  ['null', body('null')],
  ['a number', body('1')],
  ['nothing', body('')],
  ['HTML', body('<html>')],
  ['two answers', body('{"jsonrpc":"2.0","id":1,"result":1}{"jsonrpc":"2.0","id":1,"result":1}')],
  ['a result only inside', body({ id: 1, params: { result: 1 } })],
  ['half an answer', { truncate: 0.5 }],
].map(([what, knobs]): Case => [what as string, knobs as ProviderFaultKnobs, 502, 'upstream_invalid_response']);

/** Fails once, and shows that nothing was settled and that the same payment buys the answer afterwards. */
async function failsUnpaid(id: string, [, knobs, status, code]: Case): Promise<void> {
  const call = callOf(id);
  const payment = await paymentFor(gateway, call, await openWallet(solana));
  const { faults } = solana.provider;
  Object.assign(faults, knobs);
  const refused = await leaves(gateway, { transfers: 0, arrivals: 1 }, () =>
    answersWith(status, code, 'unused', sendPaid(gateway, call, payment)),
  );
  expect(JSON.stringify(refused)).not.toMatch(/10\.0\.0\.7|CANARY/);
  expect(refused.payment).toEqual({ state: 'unused' });
  faults.reset();
  expect(await bodyOf(await buys(gateway, call, payment))).toMatchObject({ ok: true });
}

describe('a failure of the upstream is not settled', () => {
  it.each([
    ['U19 a JSON-RPC error of the codes that mean rejected', REJECTED, 0],
    ['U19 a JSON-RPC error of the codes that mean failed', FAILED, 0],
    ['U20 a response that does not belong to the call', UNUSABLE, UNUSABLE.length],
  ] as const)('%s', async (_, cases, skipped) => {
    for (const each of cases) await failsUnpaid(HELIUS, each);
    for (const each of everyThird(cases.slice(skipped), 0)) {
      if (each[0] !== '-32602 with status 400') await failsUnpaid(ALCHEMY, each);
    }
  });
});

const CHANNELS = [
  ['-32005', 'rpc.mainnet.helius.getBalance', error(-32005), 2],
  ['-32029', 'rpc.devnet.helius.getBalance', error(-32029), 2],
  ['429', 'rpc.mainnet.alchemy.getBalance', error(429), 2],
  ['429 that says how long', 'rpc.devnet.alchemy.getBalance', { ...error(429), retryAfter: '9' }, 9],
  ['-32029 with status 429', 'das.devnet.helius.getAsset', { status: 429 }, 2],
  ['429 with status 429', 'das.mainnet.alchemy.getAsset', { status: 429, retryAfter: '7' }, 7],
  ['status 429 of the wallet API', 'wallet.mainnet.helius.identity', { status: 429 }, 2],
] as const;

describe('U19 V10 an upstream that asks for a pause', () => {
  it.each(CHANNELS)('V10 gets no call for its Retry-After, or two seconds: %s', async (_, id, knobs, seconds) => {
    const call = callOf(id);
    const wallet = await openWallet(solana);
    const payment = await paymentFor(gateway, call, wallet);
    const { faults } = solana.provider;
    Object.assign(faults, knobs);
    const answer = await leaves(gateway, { transfers: 0, arrivals: 1 }, () => sendPaid(gateway, call, payment));
    expect(answer.headers.get('retry-after')).toBe(String(seconds));
    await answersWith(503, 'upstream_rate_limited', 'unused', Promise.resolve(answer));
    faults.reset();
    // Two seconds may pass before the next request is out.
    if (seconds > 2) {
      await leaves(gateway, { transfers: 0, arrivals: 0 }, () =>
        answersWith(503, 'upstream_rate_limited', 'unused', sendPaid(gateway, call, payment)),
      );
    }
    const [elsewhere] = CHANNELS.filter(([, other]) => other !== id);
    const neighbour = callOf(elsewhere?.[1] ?? '');
    const bought = await wallet.buy(`${gateway.url}${neighbour.target}`, neighbour.init);
    expect(bought.status).toBe(200);
    await gateway.stop();
    gateway = await start();
    expect(await bodyOf(await buys(gateway, call, payment))).toMatchObject({ ok: true });
  });
});

describe('a status of the upstream that is no success is not settled', () => {
  it.each([
    ['400 at Alchemy', ALCHEMY, 400, 400, 'upstream_rejected'],
    ['404', 'wallet.mainnet.helius.identity', 404, 404, 'upstream_rejected'],
    ['422', 'wallet.mainnet.helius.balances', 422, 422, 'upstream_rejected'],
    ['401', HELIUS, 401, 502, 'upstream_auth_failed'],
    ['403 at Alchemy', ALCHEMY, 403, 502, 'upstream_auth_failed'],
    ['403 of the wallet API', 'wallet.mainnet.helius.identity', 403, 502, 'upstream_auth_failed'],
    ['500', HELIUS, 500, 502, 'upstream_error'],
    ['503', 'das.mainnet.helius.getAsset', 503, 502, 'upstream_error'],
  ] as const)('%s', async (what, id, upstreamStatus, status, code) => {
    await failsUnpaid(id, [what, { status: upstreamStatus }, status, code]);
  });

  it('404 for an unknown wallet', async () => {
    const call = callOf('wallet.mainnet.helius.identity', { path: { wallet: solana.payTo } });
    const payment = await paymentFor(gateway, call, await openWallet(solana));
    await leaves(gateway, { transfers: 0, arrivals: 1 }, () =>
      answersWith(404, 'upstream_rejected', 'unused', sendPaid(gateway, call, payment)),
    );
  });
});
