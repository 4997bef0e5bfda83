import { afterAll, describe, expect, it } from 'vitest';
import { type SellingGateway, startSellingGateway } from '../kit/selling-gateway.ts';
import { answersWith, callOf, leaves, leavesNoTrace, paymentFor, ROOMY, sendPaid } from '../payments/calls.ts';
import { openWallet, type Wallet } from '../payments/wallets.ts';

const RPC = callOf('rpc.mainnet.helius.getBalance');
/** An account that the upstream never answers about. */
const HANGS = 'Vote111111111111111111111111111111111111111';
/** On the same channel. */
const OTHERS = ['getAccountInfo', 'getTransaction'].map((method) => callOf(`rpc.mainnet.helius.${method}`));
const DAS = callOf('das.mainnet.helius.getAsset');

const sellers: SellingGateway[] = [];
afterAll(() => Promise.all(sellers.map((gateway) => gateway.stop())));

/** A gateway whose RPC channel has just been left alone, the clock of its breakers, and a wallet that has not paid yet. */
interface Scene {
  readonly gateway: SellingGateway;
  readonly clock: { nowMs: number };
  readonly wallet: Wallet;
}

async function scene(knobs: object = { status: 500 }): Promise<Scene> {
  const clock = { nowMs: 50_000 };
  const gateway = await startSellingGateway(ROOMY, { breaker: { now: () => clock.nowMs } });
  sellers.push(gateway);
  const unlucky = await Promise.all([1, 2, 3].map(() => openWallet(gateway.solana)));
  Object.assign(gateway.solana.provider.faults, knobs);
  for (const [time, call] of [RPC, ...OTHERS, RPC, RPC].entries()) {
    const payment = await paymentFor(gateway, call, unlucky[time % unlucky.length] as Wallet);
    await answersWith(502, 'upstream_error', 'unused', sendPaid(gateway, call, payment));
  }
  gateway.solana.provider.faults.reset();
  return { gateway, clock, wallet: await openWallet(gateway.solana) };
}

async function buys(gateway: SellingGateway, payment: unknown, call = RPC): Promise<void> {
  const bought = await leaves(gateway, { transfers: 1, arrivals: 1 }, () => sendPaid(gateway, call, payment));
  expect(bought.status).toBe(200);
}

describe('V9 requests that hang because of what they ask for', () => {
  it('V9 take the channel from nobody, however often two payers send them', async () => {
    const gateway = await startSellingGateway({ ...ROOMY, PAID_UPSTREAM_TIMEOUT_MS: '300' });
    sellers.push(gateway);
    const [attackers, honest] = [
      [await openWallet(gateway.solana), await openWallet(gateway.solana)],
      await openWallet(gateway.solana),
    ];
    const { faults } = gateway.solana.provider;
    Object.assign(faults, { hang: true, only: ({ body }: { body: string }) => body.includes(HANGS) });
    const call = callOf('rpc.mainnet.helius.getBalance', { body: { params: [HANGS] } });
    await Promise.all(
      attackers.map(async (wallet) => {
        for (let time = 0; time < 10; time++) {
          const payment = await paymentFor(gateway, call, wallet);
          await answersWith(504, 'upstream_timeout', 'unused', sendPaid(gateway, call, payment));
        }
      }),
    );
    await buys(gateway, await paymentFor(gateway, RPC, honest));
  });
});

describe.sequential('U10 a paid upstream that is left alone', () => {
  it('neither verifies nor settles; the payment stays unused, and buys when the upstream is back', async () => {
    const { gateway, clock, wallet } = await scene();
    const payment = await paymentFor(gateway, RPC, wallet);
    const body = await leavesNoTrace(gateway, () =>
      answersWith(503, 'upstream_unavailable', 'unused', sendPaid(gateway, RPC, payment)),
    );
    expect(body).toMatchObject({ retryAfterSeconds: 5 });
    clock.nowMs += 5_000;
    await buys(gateway, payment);
  });

  it('is left alone for errors that it says are its own', async () => {
    const { gateway, wallet } = await scene({ jsonRpcError: { code: -32603, message: 'Internal error' } });
    const payment = await paymentFor(gateway, RPC, wallet);
    await leavesNoTrace(gateway, () =>
      answersWith(503, 'upstream_unavailable', 'unused', sendPaid(gateway, RPC, payment)),
    );
  });

  it('leaves the other surfaces of the same URL open', async () => {
    const { gateway, wallet } = await scene();
    const payment = await paymentFor(gateway, RPC, wallet);
    await answersWith(503, 'upstream_unavailable', 'unused', sendPaid(gateway, RPC, payment));
    await buys(gateway, await paymentFor(gateway, DAS, wallet), DAS);
  });

  it('gives the one call that is let through to the next, when its payment is refused', async () => {
    const { gateway, clock, wallet } = await scene();
    const unpayable = await paymentFor(gateway, RPC, await openWallet(gateway.solana, 1n));
    const payment = await paymentFor(gateway, RPC, wallet);
    clock.nowMs += 5_000;
    const refused = await leaves(gateway, { transfers: 0, arrivals: 0 }, () => sendPaid(gateway, RPC, unpayable));
    expect(refused.status).toBe(402);
    await buys(gateway, payment);
  });

  it('is one that fails, not one that answers errors which depend on what was asked', async () => {
    const { gateway, clock, wallet } = await scene();
    clock.nowMs += 5_000;
    gateway.solana.provider.faults.jsonRpcError = {
      code: -32016,
      message: 'Minimum context slot has not been reached',
    };
    for (let time = 0; time < 7; time++) {
      const payment = await paymentFor(gateway, RPC, wallet);
      await answersWith(502, 'upstream_error', 'unused', sendPaid(gateway, RPC, payment));
    }
    gateway.solana.provider.faults.reset();
    await buys(gateway, await paymentFor(gateway, RPC, wallet));
  });
});
