import { HEADERS } from '@asset-gateway/protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import { stopAfterTests } from '../kit/stop-after-tests.ts';
import { callOf, sendPaid } from '../payments/calls.ts';
import { until } from '../payments/fault-buyer.ts';
import { openRemoteFixture } from '../payments/fault-facilitator.ts';
import { openWallet, type Wallet } from '../payments/wallets.ts';
import { balanceOf, buyCredit, paymentOf } from './gateway.ts';

const call = callOf('rpc.mainnet.helius.getBalance');
const PRICE = 5;
const BUNDLE = 50_000;

const fixture = await stopAfterTests(openRemoteFixture({ CREDIT: 'on' }));
let wallet: Wallet;
beforeEach(async () => {
  wallet = await openWallet(fixture.solana);
  expect((await buyCredit(fixture.gateway, wallet)).status).toBe(200);
});

const judged = async () => (await fixture.calls()).filter(({ url }) => url === '/verify' || url === '/settle');

describe('a payment that credit covers', () => {
  it.each([
    ['of a single call', PRICE],
    ['of a bundle', BUNDLE],
  ])('%s never leaves the gateway: no facilitator is asked, and nothing is sent', async (_, amount) => {
    const payment = await paymentOf(fixture.gateway, call, wallet, amount);
    const [before, transfers] = [await judged(), fixture.chain.transfers.length];
    await fixture.order({ verify: { status: 500 }, settle: { status: 500 } });
    const response = await sendPaid(fixture.gateway, call, payment);
    await fixture.order({});
    expect([response.status, response.headers.get(HEADERS.credit)]).toEqual([
      200,
      `charged=${PRICE}, balance=${BUNDLE - PRICE}`,
    ]);
    expect([await judged(), fixture.chain.transfers.length]).toEqual([before, transfers]);
  });

  it('and is broadcast later is answered from its debit', async () => {
    const payment = await paymentOf(fixture.gateway, call, wallet, PRICE);
    const text = await (await sendPaid(fixture.gateway, call, payment)).text();
    const transfers = fixture.chain.transfers.length;
    const sent = await fetch(`${fixture.facilitatorUrl}/settle`, {
      method: 'POST',
      body: JSON.stringify({ paymentPayload: payment, paymentRequirements: payment.accepted }),
    });
    expect(await sent.json()).toMatchObject({ success: true });
    await until(() => fixture.chain.transfers.length === transfers + 1);
    const again = await sendPaid(fixture.gateway, call, payment);
    expect([again.status, await again.text(), again.headers.get(HEADERS.replayed)]).toEqual([200, text, 'true']);
    expect(await balanceOf(fixture.gateway, wallet)).toMatchObject({ spentMicros: PRICE });
  });
});
