import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { EmbeddedPayments } from '../../packages/gateway/src/stores/embedded-payments.ts';
import { type Market, startMarket } from '../kit/shop.ts';
import { ask, newBuyer, newPath, ROOMY, receiptIn } from './fault-buyer.ts';
import { openBazaar } from './fault-facilitator.ts';

describe('an owed answer that is no longer kept', () => {
  let market: Market;
  beforeAll(async () => {
    market = await startMarket(ROOMY);
  });
  afterEach(() => {
    vi.restoreAllMocks();
    market.shop.provider.faults.reset();
  });
  afterAll(() => market.stop());

  it.each([
    ['the same payment', false],
    ['a new payment', true],
  ])(
    'P18 stays owed when it cannot be fetched anew, asked for by %s: its payer is not charged again',
    async (_, isNew) => {
      const { mainnet, provider } = market.shop;
      const buyer = await newBuyer(mainnet);
      const url = market.url + newPath();
      const payment = await buyer.pay(url);
      const transfers = () => mainnet.transfers.filter(({ from }) => from === buyer.address).length;
      // The answer to HEAD has no body: it is paid for and not delivered.
      expect((await ask(url, payment, { method: 'HEAD' })).status).toBe(200);
      vi.spyOn(EmbeddedPayments.prototype, 'answer').mockResolvedValue(undefined);
      provider.faults.status = 500;
      const failed = await ask(url, isNew ? await buyer.pay(url) : payment);
      expect([failed.status, failed.code]).toEqual([502, 'upstream_error']);
      provider.faults.reset();
      const reply = await ask(url, await buyer.pay(url));
      expect([reply.status, reply.isReplayed, transfers()]).toEqual([200, true, 1]);
    },
  );
});

describe('P6 a payment whose connection to the upstream is lost', () => {
  let market: Market;
  beforeAll(async () => {
    market = await startMarket(ROOMY);
  });
  afterAll(() => market.stop());

  it('reaches it at most 3 times, those included that are sent once more', async () => {
    const { mainnet, provider } = market.shop;
    const url = market.url + newPath();
    const payment = await (await newBuyer(mainnet)).pay(url);
    Object.assign(provider.faults, { resetConnection: true, times: 3 });
    for (const calls of [2, 3]) {
      const reply = await ask(url, payment);
      expect([reply.status, reply.code]).toEqual([502, 'upstream_unreachable']);
      expect(provider.arrivals).toHaveLength(calls);
    }
    const last = await ask(url, payment);
    expect([last.status, last.code]).toEqual([402, 'payment_rejected']);
    expect([provider.arrivals.length, mainnet.transfers.length]).toEqual([3, 0]);
  });
});

describe('P6 a payment that is on the chain already, and not known here', () => {
  it('is neither refused nor charged again while the chain has not confirmed it, and then it buys', async () => {
    const secret = { ...ROOMY, GATEWAY_SECRET: 'a secret that both of them have and use' };
    const first = await startMarket(secret);
    const { shop } = first;
    const second = await startMarket(secret, { shop });
    const path = newPath();
    const payment = await (await newBuyer(shop.mainnet)).pay(first.url + path);
    expect((await ask(first.url + path, payment)).status).toBe(200);
    shop.mainnet.faults.lie = { statusProcessed: true };
    const pending = await ask(second.url + path, payment);
    expect([pending.status, pending.code]).toEqual([503, 'settlement_pending']);
    expect(pending.headers.has('payment-required')).toBe(false);
    expect(shop.provider.arrivals).toHaveLength(1);
    shop.mainnet.faults.reset();
    expect((await ask(second.url + path, payment)).status).toBe(200);
    expect(shop.mainnet.transfers).toHaveLength(1);
    await second.stop();
    await first.stop();
  });

  it('is found by its memo where another one settles', async () => {
    const secret = { GATEWAY_SECRET: 'a secret that both of them have and use' };
    const bazaar = await openBazaar(secret);
    const { chain, shop, url, payment } = bazaar;
    expect((await ask(url, payment)).status).toBe(200);
    const remote = { FACILITATOR_URL: bazaar.facilitatorUrl, FEE_PAYER_KEYPAIR: '' };
    const second = await startMarket({ ...ROOMY, ...secret, ...remote }, { shop });
    const reply = await ask(second.url + new URL(url).pathname, payment);
    expect([reply.status, reply.isReplayed]).toEqual([200, true]);
    expect(receiptIn(reply)).toMatchObject({ success: true, transaction: chain.transfers[0]?.signature });
    expect(chain.transfers).toHaveLength(1);
    await second.stop();
    await bazaar.stop();
  });

  it('is said to be settled when its upstream fails', async () => {
    const secret = { ...ROOMY, GATEWAY_SECRET: 'a secret that both of them have and use' };
    const first = await startMarket(secret);
    const { shop } = first;
    const second = await startMarket(secret, { shop });
    const path = newPath();
    const payment = await (await newBuyer(shop.mainnet)).pay(first.url + path);
    expect((await ask(first.url + path, payment)).status).toBe(200);
    shop.provider.faults.status = 500;
    const failed = await ask(second.url + path, payment);
    expect(failed.status).toBe(502);
    expect(failed.text).toContain('"state":"settled"');
    const again = await ask(second.url + path, payment);
    expect(again.status).toBe(502);
    expect(again.text).toContain('"state":"settled"');
    await second.stop();
    await first.stop();
  });
});
