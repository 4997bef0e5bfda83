import { HEADERS } from '@asset-gateway/protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import { stopAfterTests } from '../kit/stop-after-tests.ts';
import { WITHOUT_BREAKER } from '../kit/test-gateway.ts';
import { bodyOf, callOf, leaves, leavesNoTrace, send, sendPaid } from '../payments/calls.ts';
import { until } from '../payments/fault-buyer.ts';
import { openWallet, type Wallet } from '../payments/wallets.ts';
import { balanceOf, buyCredit, paymentOf, spend, spendingHeader, startCreditGateway } from './gateway.ts';

const call = callOf('rpc.mainnet.helius.getBalance');
const PRICE = 5;
const AT_ONCE = 8;
const FAILURES = 10;

const gateway = await stopAfterTests(startCreditGateway(WITHOUT_BREAKER));
const { solana } = gateway;
let wallet: Wallet;
beforeEach(async () => {
  solana.provider.faults.reset();
  wallet = await openWallet(solana);
  await buyCredit(gateway, wallet);
});

/** Expects an error without a challenge: x402's clients pay only on a 402. */
async function asksForNothing(response: Response, status: number, code: string): Promise<void> {
  expect([response.status, (await bodyOf(response)).error]).toEqual([status, code]);
  expect(response.headers.has(HEADERS.paymentRequired)).toBe(false);
}

/** x402's own client, at the same moment, makes no payment either. */
async function clientPaysNothing(): Promise<void> {
  const transfers = solana.mainnet.transfers.length;
  await (await wallet.buy(gateway.url + call.target, call.init)).arrayBuffer();
  expect(solana.mainnet.transfers).toHaveLength(transfers);
}

describe('a wallet with credit makes no payment', () => {
  it('when as many of its calls are on their way as may be: 429', async () => {
    solana.provider.faults.delayMs = 1_500;
    const arrivals = solana.provider.arrivals.length;
    const running = Array.from({ length: AT_ONCE }, () => spend(gateway, call, wallet.signIn));
    await until(() => solana.provider.arrivals.length === arrivals + AT_ONCE);
    const response = await spend(gateway, call, wallet.signIn);
    expect(response.headers.get('retry-after')).toBe('1');
    await asksForNothing(response, 429, 'rate_limited');
    await clientPaysNothing();
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual(running.map(() => 200));
  });

  it('when the same signature is still running: 409', async () => {
    solana.provider.faults.delayMs = 500;
    const header = await spendingHeader(gateway, call, wallet.signIn);
    const arrivals = solana.provider.arrivals.length;
    const running = send(gateway, call, { [HEADERS.signIn]: header });
    await until(() => solana.provider.arrivals.length === arrivals + 1);
    await asksForNothing(await send(gateway, call, { [HEADERS.signIn]: header }), 409, 'payment_in_progress');
    expect((await running).status).toBe(200);
  });

  it('when the upstream fails, and is left alone after ten failures in a minute: 502, then 429', async () => {
    solana.provider.faults.status = 500;
    for (let count = 0; count < FAILURES; count++) {
      await asksForNothing(await spend(gateway, call, wallet.signIn), 502, 'upstream_error');
    }
    await leaves(gateway, { transfers: 0, arrivals: 0 }, async () => {
      await asksForNothing(await spend(gateway, call, wallet.signIn), 429, 'rate_limited');
      const payment = await paymentOf(gateway, call, wallet, PRICE);
      await asksForNothing(await sendPaid(gateway, call, payment), 429, 'rate_limited');
    });
    expect(await balanceOf(gateway, wallet)).toMatchObject({ spentMicros: 0, heldMicros: 0 });
  });

  it('when its request is not valid: 400, and the signature is good for a valid one', async () => {
    const header = await spendingHeader(gateway, call, wallet.signIn);
    await leavesNoTrace(gateway, async () => {
      const wrong = { ...call, init: { ...call.init, body: '{"params":["not a wallet",1,2,3]}' } };
      await asksForNothing(await send(gateway, wrong, { [HEADERS.signIn]: header }), 400, 'invalid_request');
    });
    expect((await send(gateway, call, { [HEADERS.signIn]: header })).status).toBe(200);
  });
});
