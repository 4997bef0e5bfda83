import { HEADERS } from '@asset-gateway/protocol';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bodyOf, callOf, sendPaid } from '../payments/calls.ts';
import { until } from '../payments/fault-buyer.ts';
import { type Bazaar, openBazaar } from '../payments/fault-facilitator.ts';
import { openWallet, type Wallet } from '../payments/wallets.ts';
import { balanceOf, buyCredit, paymentOf } from './gateway.ts';

const call = callOf('rpc.mainnet.helius.getBalance');
const PRICE = 5;
const BUNDLE = 50_000;

let bazaar: Bazaar;
let wallet: Wallet;
beforeAll(async () => {
  bazaar = await openBazaar({ CREDIT: 'on' });
});
beforeEach(async () => {
  wallet = await openWallet(bazaar.solana);
  expect((await buyCredit(bazaar.gateway, wallet)).status).toBe(200);
});
afterAll(() => bazaar.stop());

const judged = async () => (await bazaar.calls()).filter(({ url }) => url === '/verify' || url === '/settle');

describe('a payment that credit covers', () => {
  it.each([
    ['of a single call', PRICE],
    ['of a bundle', BUNDLE],
  ])('%s never leaves the gateway: no facilitator is asked, and nothing is sent', async (_, amount) => {
    const payment = await paymentOf(bazaar.gateway, call, wallet, amount);
    const [before, transfers] = [await judged(), bazaar.chain.transfers.length];
    await bazaar.order({ verify: { status: 500 }, settle: { status: 500 } });
    const response = await sendPaid(bazaar.gateway, call, payment);
    await bazaar.order({});
    expect([response.status, response.headers.get(HEADERS.credit)]).toEqual([
      200,
      `charged=${PRICE}, balance=${BUNDLE - PRICE}`,
    ]);
    expect([await judged(), bazaar.chain.transfers.length]).toEqual([before, transfers]);
  });

  it('and that somebody sends to the chain later is answered from its debit, and is no repeat', async () => {
    const payment = await paymentOf(bazaar.gateway, call, wallet, PRICE);
    const text = await (await sendPaid(bazaar.gateway, call, payment)).text();
    const transfers = bazaar.chain.transfers.length;
    const sent = await fetch(`${bazaar.facilitatorUrl}/settle`, {
      method: 'POST',
      body: JSON.stringify({ paymentPayload: payment, paymentRequirements: payment.accepted }),
    });
    expect(await sent.json()).toMatchObject({ success: true });
    await until(() => bazaar.chain.transfers.length === transfers + 1);
    const again = await sendPaid(bazaar.gateway, call, payment);
    expect([again.status, await again.text(), again.headers.get(HEADERS.replayed)]).toEqual([200, text, 'true']);
    expect(await balanceOf(bazaar.gateway, wallet)).toMatchObject({ spentMicros: PRICE });
  });

  it('and fails at the upstream costs nothing, and is good for the same request again', async () => {
    const { provider } = bazaar.solana;
    const payment = await paymentOf(bazaar.gateway, call, wallet, PRICE);
    const before = await judged();
    provider.faults.status = 500;
    expect((await bodyOf(await sendPaid(bazaar.gateway, call, payment))).payment?.state).toBe('unused');
    provider.faults.reset();
    expect(await balanceOf(bazaar.gateway, wallet)).toMatchObject({ spentMicros: 0, heldMicros: 0 });
    expect((await sendPaid(bazaar.gateway, call, payment)).status).toBe(200);
    expect(await judged()).toEqual(before);
  });
});
