import { afterAll, describe, expect, it } from 'vitest';
import { type SellingGateway, startSellingGateway } from '../kit/selling-gateway.ts';
import { answersWith, callOf, leaves, leavesNoTrace, paymentFor, ROOMY, sendPaid } from '../payments/calls.ts';
import { openWallet, type Wallet } from '../payments/wallets.ts';

const RPC = callOf('rpc.mainnet.helius.getBalance');
/** An account that the upstream never answers about. */
const HANGS = 'Vote111111111111111111111111111111111111111';
/** On the same lane. */
const OTHERS = ['getAccountInfo', 'getTransaction'].map((method) => callOf(`rpc.mainnet.helius.${method}`));
const DAS = callOf('das.mainnet.helius.getAsset');

const markets: SellingGateway[] = [];
afterAll(() => Promise.all(markets.map((market) => market.stop())));

/** A market whose RPC lane has just been left alone, the clock of its breakers, and a wallet that has not paid yet. */
interface Scene {
  readonly market: SellingGateway;
  readonly clock: { nowMs: number };
  readonly wallet: Wallet;
}

async function scene(knobs: object = { status: 500 }): Promise<Scene> {
  const clock = { nowMs: 50_000 };
  const market = await startSellingGateway(ROOMY, { breaker: { now: () => clock.nowMs } });
  markets.push(market);
  const unlucky = await Promise.all([1, 2, 3].map(() => openWallet(market.shop)));
  Object.assign(market.shop.provider.faults, knobs);
  for (const [time, call] of [RPC, ...OTHERS, RPC, RPC].entries()) {
    const payment = await paymentFor(market, call, unlucky[time % unlucky.length] as Wallet);
    await answersWith(502, 'upstream_error', 'unused', sendPaid(market, call, payment));
  }
  market.shop.provider.faults.reset();
  return { market, clock, wallet: await openWallet(market.shop) };
}

async function buys(market: SellingGateway, payment: unknown, call = RPC): Promise<void> {
  const bought = await leaves(market, { transfers: 1, arrivals: 1 }, () => sendPaid(market, call, payment));
  expect(bought.status).toBe(200);
}

describe('V9 requests that hang because of what they ask for', () => {
  it('V9 take the lane from nobody, however often two payers send them', async () => {
    const market = await startSellingGateway({ ...ROOMY, PAID_UPSTREAM_TIMEOUT_MS: '300' });
    markets.push(market);
    const [attackers, honest] = [
      [await openWallet(market.shop), await openWallet(market.shop)],
      await openWallet(market.shop),
    ];
    const { faults } = market.shop.provider;
    Object.assign(faults, { hang: true, only: ({ body }: { body: string }) => body.includes(HANGS) });
    const call = callOf('rpc.mainnet.helius.getBalance', { body: { params: [HANGS] } });
    await Promise.all(
      attackers.map(async (wallet) => {
        for (let time = 0; time < 10; time++) {
          const payment = await paymentFor(market, call, wallet);
          await answersWith(504, 'upstream_timeout', 'unused', sendPaid(market, call, payment));
        }
      }),
    );
    await buys(market, await paymentFor(market, RPC, honest));
  });
});

describe.sequential('U10 a paid upstream that is left alone', () => {
  it('neither verifies nor settles; the payment stays unused, and buys when the upstream is back', async () => {
    const { market, clock, wallet } = await scene();
    const payment = await paymentFor(market, RPC, wallet);
    const body = await leavesNoTrace(market, () =>
      answersWith(503, 'upstream_unavailable', 'unused', sendPaid(market, RPC, payment)),
    );
    expect(body).toMatchObject({ retryAfterSeconds: 5 });
    clock.nowMs += 5_000;
    await buys(market, payment);
  });

  it('is left alone for errors that it says are its own', async () => {
    const { market, wallet } = await scene({ jsonRpcError: { code: -32603, message: 'Internal error' } });
    const payment = await paymentFor(market, RPC, wallet);
    await leavesNoTrace(market, () =>
      answersWith(503, 'upstream_unavailable', 'unused', sendPaid(market, RPC, payment)),
    );
  });

  it('leaves the other surfaces of the same URL open', async () => {
    const { market, wallet } = await scene();
    const payment = await paymentFor(market, RPC, wallet);
    await answersWith(503, 'upstream_unavailable', 'unused', sendPaid(market, RPC, payment));
    await buys(market, await paymentFor(market, DAS, wallet), DAS);
  });

  it('gives the one call that is let through to the next, when its payment is refused', async () => {
    const { market, clock, wallet } = await scene();
    const unpayable = await paymentFor(market, RPC, await openWallet(market.shop, 1n));
    const payment = await paymentFor(market, RPC, wallet);
    clock.nowMs += 5_000;
    const refused = await leaves(market, { transfers: 0, arrivals: 0 }, () => sendPaid(market, RPC, unpayable));
    expect(refused.status).toBe(402);
    await buys(market, payment);
  });

  it('is one that fails, not one that answers errors which depend on what was asked', async () => {
    const { market, clock, wallet } = await scene();
    clock.nowMs += 5_000;
    market.shop.provider.faults.jsonRpcError = { code: -32016, message: 'Minimum context slot has not been reached' };
    for (let time = 0; time < 7; time++) {
      const payment = await paymentFor(market, RPC, wallet);
      await answersWith(502, 'upstream_error', 'unused', sendPaid(market, RPC, payment));
    }
    market.shop.provider.faults.reset();
    await buys(market, await paymentFor(market, RPC, wallet));
  });
});
