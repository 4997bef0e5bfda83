import { rmSync } from 'node:fs';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { ProviderFaultKnobs } from '../../packages/sandbox/src/solana/provider.ts';
import { startSolanaSandbox } from '../../packages/sandbox/src/solana-sandbox.ts';
import { makeFolder } from '../kit/folder.ts';
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

const wallet = await openWallet(solana);
const call = callOf('rpc.mainnet.helius.getBalance');
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
  ...[-32601, -32603, -32000, 0, -32600.5].map((code): Case => [`${code}`, error(code), 502, 'upstream_error']),
  ['an error that is no object', body({ jsonrpc: '2.0', id: 1, error: 'no' }), 502, 'upstream_error'],
  ['an error beside a result', body({ jsonrpc: '2.0', id: 1, result: 1, error: { code: 1 } }), 502, 'upstream_error'],
  ['status 401', { status: 401 }, 502, 'upstream_auth_failed'],
  ['status 500', { status: 500 }, 502, 'upstream_error'],
];
const UNUSABLE: readonly Case[] = [
  ['the id of another call', { wrongId: true }],
  ['neither result nor error', { missingResult: true }],
  ['an id that is text', body({ jsonrpc: '2.0', id: '1', result: 1 })],
  ['no id', body({ jsonrpc: '2.0', result: 1 })],
  ['a batch', body([{ jsonrpc: '2.0', id: 1, result: 1 }])],
  ['null', body('null')],
  ['HTML', body('<html>')],
  ['a result only inside', body({ id: 1, params: { result: 1 } })],
].map(([what, knobs]): Case => [what as string, knobs as ProviderFaultKnobs, 502, 'upstream_invalid_response']);

/** Fails once, and shows that nothing was settled and that the same payment buys the answer afterwards. */
async function failsUnpaid([, knobs, status, code]: Case): Promise<void> {
  const payment = await paymentFor(gateway, call, wallet);
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
    ['U19 a JSON-RPC error of the codes that mean rejected', REJECTED],
    ['U19 a JSON-RPC error of the codes that mean failed', FAILED],
    ['U20 a response that does not belong to the call', UNUSABLE],
  ])('%s', async (_, cases) => {
    for (const each of cases) await failsUnpaid(each);
  });

  it('404 for an unknown wallet', async () => {
    const unknown = callOf('wallet.mainnet.helius.identity', { path: { wallet: solana.payTo } });
    const payment = await paymentFor(gateway, unknown, wallet);
    await leaves(gateway, { transfers: 0, arrivals: 1 }, () =>
      answersWith(404, 'upstream_rejected', 'unused', sendPaid(gateway, unknown, payment)),
    );
  });
});

const CHANNELS = [
  ['-32005', 'rpc.mainnet.helius.getBalance', error(-32005), 2],
  ['-32029', 'rpc.devnet.helius.getBalance', error(-32029), 2],
  ['429 that says how long', 'rpc.devnet.alchemy.getBalance', { ...error(429), retryAfter: '9' }, 9],
  ['429 with status 429', 'das.mainnet.alchemy.getAsset', { status: 429, retryAfter: '7' }, 7],
] as const;

describe('U19 V10 an upstream that asks for a pause', () => {
  it.each(CHANNELS)('V10 gets no call for its Retry-After, or two seconds: %s', async (_, id, knobs, seconds) => {
    const call = callOf(id);
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
