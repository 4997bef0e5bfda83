import { describe, expect, it } from 'vitest';
import type { ChainFaults } from '../../packages/sandbox/src/chain/chain.ts';
import { type SellingGateway, startSellingGateway } from '../kit/selling-gateway.ts';
import { stoppedAfterTests } from '../kit/stop-after-tests.ts';
import { ask, askUntilDecided, type Buyer, newBuyer, newPath, ROOMY, receiptIn, until } from './fault-buyer.ts';

const open = stoppedAfterTests(() => startSellingGateway(ROOMY));

interface Scene {
  readonly gateway: SellingGateway;
  readonly buyer: Buyer;
  readonly url: string;
  readonly payment: string;
  readonly faults: ChainFaults;
}

async function scene(): Promise<Scene> {
  const gateway = await open();
  const buyer = await newBuyer(gateway.solana.mainnet);
  const url = gateway.url + newPath();
  return { gateway, buyer, url, payment: await buyer.pay(url), faults: gateway.solana.mainnet.faults };
}

async function expectStored({ gateway, url, payment }: Scene, limitMs?: number): Promise<void> {
  const { mainnet, provider } = gateway.solana;
  const reply = await askUntilDecided(url, payment, limitMs);
  expect([reply.status, reply.isReplayed]).toEqual([200, true]);
  expect(receiptIn(reply)).toMatchObject({ success: true, transaction: mainnet.transfers[0]?.signature });
  expect(mainnet.transfers).toHaveLength(1);
  expect(provider.arrivals).toHaveLength(1);
}

const sends = ({ gateway }: Scene): number =>
  gateway.solana.mainnet.calls.filter(({ method }) => method === 'sendTransaction').length;

describe.concurrent('P6 an unknown outcome', () => {
  it('P6 the reply of sendTransaction is lost: the chain is read, and the answer is served at once', async () => {
    const it = await scene();
    it.faults.dropAfterBroadcast = true;
    const first = await ask(it.url, it.payment);
    expect([first.status, first.isReplayed]).toEqual([200, false]);
    expect(it.gateway.solana.mainnet.transfers).toHaveLength(1);
    await expectStored(it);
    expect(sends(it)).toBe(1);
  });

  it('P6 the reply is lost and the chain shows nothing yet: 503, then the stored answer', async () => {
    const it = await scene();
    it.faults.dropAfterBroadcast = true;
    it.faults.lie = { statusMissing: true };
    const first = await ask(it.url, it.payment);
    expect([first.status, first.code]).toEqual([503, 'settlement_pending']);
    expect(first.headers.get('retry-after')).toBe('2');
    expect(first.headers.has('payment-required')).toBe(false);
    expect(receiptIn(first)).toMatchObject({ success: false, errorReason: 'settlement_pending' });
    const again = await ask(it.url, it.payment);
    expect([again.status, again.code]).toEqual([503, 'settlement_pending']);
    it.faults.reset();
    await expectStored(it);
  });

  it('P6 is settled within 5 s after the chain shows it, without a request', async () => {
    const it = await scene();
    it.faults.dropAfterBroadcast = true;
    it.faults.lie = { statusMissing: true };
    expect((await ask(it.url, it.payment)).status).toBe(503);
    it.faults.reset();
    const { mainnet } = it.gateway.solana;
    const seen = mainnet.calls.length;
    const shown = performance.now();
    await until(() => mainnet.calls.slice(seen).some(({ method }) => method === 'getSignatureStatuses'), 5_000);
    await until(async () => (await ask(it.url, it.payment)).status === 200, 5_000 - (performance.now() - shown));
    await expectStored(it);
  });

  it('P6 a status that comes late: the request waits for it', async () => {
    const it = await scene();
    it.faults.confirmAfterMs = 3_000;
    const first = await ask(it.url, it.payment);
    expect([first.status, first.isReplayed]).toEqual([200, false]);
    await expectStored(it);
  });

  it('P6 sendTransaction hangs and nothing was sent: it is sent by the reconciler, once', async () => {
    const it = await scene();
    it.faults.hang = new Set(['sendTransaction']);
    const first = await ask(it.url, it.payment);
    expect([first.status, first.code]).toEqual([503, 'settlement_pending']);
    expect(it.gateway.solana.mainnet.transfers).toHaveLength(0);
    it.faults.reset();
    await expectStored(it);
  });

  it('P6 a transaction without a block is refused only once its blockhash has expired', async () => {
    const it = await scene();
    it.faults.loseBroadcast = true;
    it.faults.hang = new Set(['sendTransaction']);
    expect((await ask(it.url, it.payment)).code).toBe('settlement_pending');
    it.faults.expireBlockhashes();
    expect((await ask(it.url, it.payment)).code).toBe('settlement_pending');
    it.gateway.solana.mainnet.advanceBlocks(150);
    const last = await askUntilDecided(it.url, it.payment);
    expect(last.status).toBe(402);
    expect(last.headers.has('payment-required')).toBe(true);
    expect(receiptIn(last)).toMatchObject({ success: false, transaction: '' });
    it.faults.reset();
    const renewed = await it.buyer.pay(it.url);
    expect((await ask(it.url, renewed)).status).toBe(200);
    expect(it.gateway.solana.mainnet.transfers).toHaveLength(1);
  });

  it('P6 a new payment for the same request waits while the first one is open, and gets its answer', async () => {
    const it = await scene();
    it.faults.dropAfterBroadcast = true;
    it.faults.lie = { statusMissing: true };
    expect((await ask(it.url, it.payment)).status).toBe(503);
    const second = await it.buyer.pay(it.url);
    const waiting = await ask(it.url, second);
    expect([waiting.status, waiting.code]).toEqual([503, 'settlement_pending']);
    expect(waiting.text).toContain('"state":"unused"');
    it.faults.reset();
    const reply = await askUntilDecided(it.url, second);
    expect([reply.status, reply.isReplayed]).toEqual([200, true]);
    expect(receiptIn(reply).transaction).toBe(it.gateway.solana.mainnet.transfers[0]?.signature);
    await expectStored(it);
  });
});

describe.concurrent('P6 a payment that waits too long in the settlement queue', () => {
  it('P6 is unused, is not sent afterwards, and buys when it comes again', async () => {
    const { gateway, buyer, faults } = await scene();
    const { mainnet } = gateway.solana;
    const urls = [1, 2, 3].map(() => gateway.url + newPath());
    const paid = await Promise.all(urls.map(async (url) => [url, await buyer.pay(url)] as const));
    faults.confirmAfterMs = 80_000;
    const asked = paid.map(async (each) => {
      const reply = await ask(...each);
      return {
        each,
        code: reply.code,
        state: (JSON.parse(reply.text) as { payment: { state: string } }).payment.state,
      };
    });
    const replies = await Promise.all(asked);
    const told = replies.map(({ code, state }) => `${code} ${state}`).sort();
    const pending = 'settlement_pending pending';
    expect(told).toEqual(['facilitator_unavailable unused', pending, pending]);
    faults.reset();
    const [waited] = replies.filter(({ state }) => state === 'unused');
    if (!waited) throw new Error('all of them were sent');
    for (const { each } of replies.filter(({ state }) => state === 'pending')) {
      expect((await askUntilDecided(...each)).isReplayed).toBe(true);
    }
    expect(mainnet.transfers).toHaveLength(2);
    const again = await ask(...waited.each);
    expect([again.status, again.isReplayed, mainnet.transfers.length]).toEqual([200, false, 3]);
  }, 60_000);
});

describe.concurrent('P5 a refusal that proves something', () => {
  it('P5 money that is gone between verify and settle: 402, no byte of the result, nothing moved', async () => {
    const it = await scene();
    const { mainnet, provider } = it.gateway.solana;
    provider.faults.body = '{"canary":"CANARY_result_0123456789"}';
    const poor = await newBuyer(mainnet, 500n);
    const urls = [it.url, it.gateway.url + newPath()];
    const payments = await Promise.all(urls.map(async (url) => [url, await poor.pay(url)] as const));
    provider.faults.delayMs = 400;
    const replies = await Promise.all(payments.map((paid) => ask(...paid)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 402]);
    const refused = replies.find(({ status }) => status === 402);
    expect(refused?.code).toBe('invalid_exact_svm_transaction_simulation_failed');
    expect(refused?.text).not.toContain('CANARY_result');
    expect(refused && receiptIn(refused)).toMatchObject({ success: false, transaction: '' });
    expect(mainnet.transfers).toHaveLength(1);
  });

  it('P5 a transaction that fails on the chain: 402, and the fee payer paid for nothing else', async () => {
    const it = await scene();
    const { mainnet } = it.gateway.solana;
    const poor = await newBuyer(mainnet, 1n);
    it.faults.lie = { simulateOk: true };
    const reply = await ask(it.url, await poor.pay(it.url));
    expect(reply.status).toBe(402);
    expect(receiptIn(reply)).toMatchObject({ success: false });
    expect(mainnet.transfers).toHaveLength(0);
  });
});
