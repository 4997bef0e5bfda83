import { afterEach, describe, expect, it } from 'vitest';
import {
  startSellingGateway,
  startTestGateway,
  type TestGateway,
  type TestGatewayOptions,
} from '../kit/test-gateway.ts';
import { answersWith, buys, callOf, leavesNoTrace, paymentFor, ROOMY, sendPaid } from '../payments/calls.ts';
import { openWallet, type Wallet } from '../payments/wallets.ts';
import { Caller, codeOf, HEALTH, slotsLeft, TOKENS } from './caller.ts';

const LIMIT = 100_000;
const open = (variables = {}, options: TestGatewayOptions = {}) =>
  startTestGateway(variables, { windowMs: 3_600_000, ...options });

/** A breaker clock that the test sets. */
function handClock() {
  const clock = { nowMs: 50_000, breaker: { now: () => clock.nowMs } };
  return clock;
}

const TARGETS = [HEALTH, `${TOKENS}/assets/solana`, `${TOKENS}/assets/gold`];

/** Failing requests of different wallets for three targets, so that no single client causes them. */
async function fail(gateway: TestGateway, times = 5): Promise<string[]> {
  const codes: string[] = [];
  for (let time = 0; time < times; time++) {
    const target = TARGETS[time % TARGETS.length] ?? HEALTH;
    codes.push(codeOf(await new Caller(gateway).ask({ target })));
  }
  return codes;
}

describe('U10 while the breaker is open', () => {
  it('no sign-in and no slot is used up, and those sign-ins work later', async () => {
    const clock = handClock();
    const gateway = await open({}, clock);
    gateway.upstream.faults.status = 500;
    await fail(gateway);
    const caller = new Caller(gateway);
    const signIns = await Promise.all(Array.from({ length: 20 }, () => caller.signIn()));
    for (const signIn of signIns) {
      const refused = await caller.askWith(signIn, { target: HEALTH });
      expect(codeOf(refused)).toBe('503 upstream_unavailable');
      expect(refused.headers.get('replay-nonce')).toMatch(/^[0-9a-f]{32}$/);
      expect(slotsLeft(refused)).toBe(LIMIT - 5);
    }
    expect(gateway.upstream.arrivals).toHaveLength(5);
    gateway.upstream.faults.reset();
    clock.nowMs += 5_000;
    for (const signIn of signIns) {
      expect(codeOf(await caller.askWith(signIn, { target: HEALTH }))).toBe('200 ok');
    }
    expect(gateway.upstream.arrivals).toHaveLength(25);
    const [first = {}] = signIns;
    expect(codeOf(await caller.askWith(first, { target: HEALTH }))).toBe('402 invalid_siwx_nonce');
  });

  it('an invalid parameter is still a 400, and a 429 of the upstream pauses it', async () => {
    const clock = handClock();
    const gateway = await open({}, clock);
    gateway.upstream.faults.status = 500;
    await fail(gateway);
    expect((await new Caller(gateway).ask({ target: `${HEALTH}?x=1` })).status).toBe(400);
    clock.nowMs += 5_000;
    Object.assign(gateway.upstream.faults, { status: 429, retryAfter: '30' });
    expect(await fail(gateway, 3)).toEqual(Array.from({ length: 3 }, () => '503 upstream_rate_limited'));
    expect(gateway.upstream.arrivals).toHaveLength(6);
  });
});

const RPC = callOf('rpc.mainnet.helius.getBalance');
/** On the same channel. */
const OTHERS = ['getAccountInfo', 'getTransaction'].map((method) => callOf(`rpc.mainnet.helius.${method}`));
const DAS = callOf('das.mainnet.helius.getAsset');

const clock = { nowMs: 50_000 };
const seller = await startSellingGateway(ROOMY, { breaker: { now: () => clock.nowMs } });
const wallets = await Promise.all(Array.from({ length: 4 }, () => openWallet(seller.solana)));
const [wallet, ...unlucky] = wallets as [Wallet, ...Wallet[]];

/** Opens the breaker of the RPC. */
async function openBreaker(knobs: object = { status: 500 }): Promise<void> {
  Object.assign(seller.solana.provider.faults, knobs);
  for (const [time, call] of [RPC, ...OTHERS, RPC, RPC].entries()) {
    const payment = await paymentFor(seller, call, unlucky[time % unlucky.length] as Wallet);
    await answersWith(502, 'upstream_error', 'unused', sendPaid(seller, call, payment));
  }
  seller.solana.provider.faults.reset();
}

const buysFresh = async (call = RPC): Promise<unknown> => buys(seller, call, await paymentFor(seller, call, wallet));

describe.sequential('U10 the breaker of a paid upstream', () => {
  afterEach(async () => {
    clock.nowMs += 5_000;
    await buysFresh();
  });

  it('refuses without verifying or settling; the payment works later', async () => {
    await openBreaker();
    const payment = await paymentFor(seller, RPC, wallet);
    const body = await leavesNoTrace(seller, () =>
      answersWith(503, 'upstream_unavailable', 'unused', sendPaid(seller, RPC, payment)),
    );
    expect(body).toMatchObject({ retryAfterSeconds: 5 });
    clock.nowMs += 5_000;
    await buys(seller, RPC, payment);
  });

  it('leaves other surfaces of the same URL open', async () => {
    await openBreaker();
    const payment = await paymentFor(seller, RPC, wallet);
    await answersWith(503, 'upstream_unavailable', 'unused', sendPaid(seller, RPC, payment));
    await buysFresh(DAS);
  });

  it('does not open for errors that depend on the request', async () => {
    await openBreaker();
    clock.nowMs += 5_000;
    seller.solana.provider.faults.jsonRpcError = {
      code: -32016,
      message: 'Minimum context slot has not been reached',
    };
    for (let time = 0; time < 7; time++) {
      const payment = await paymentFor(seller, RPC, wallet);
      await answersWith(502, 'upstream_error', 'unused', sendPaid(seller, RPC, payment));
    }
    seller.solana.provider.faults.reset();
    await buysFresh();
  });
});
