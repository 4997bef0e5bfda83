import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Payments } from '../../packages/gateway/src/payments/payments.ts';
import type { Lies } from '../../packages/sandbox/src/chain/faults.ts';
import { type SellingGateway, startSellingGateway } from '../kit/selling-gateway.ts';
import { ask, askUntilDecided, newBuyer, newPath, ROOMY, receiptIn, until } from './fault-buyer.ts';
import { openRemoteFixture } from './fault-facilitator.ts';

describe('an owed answer that is no longer kept', () => {
  let gateway: SellingGateway;
  beforeAll(async () => {
    gateway = await startSellingGateway(ROOMY);
  });
  afterEach(() => {
    vi.restoreAllMocks();
    gateway.solana.provider.faults.reset();
  });
  afterAll(() => gateway.stop());

  it.each([
    ['the same payment', false],
    ['a new payment', true],
  ])(
    'P18 stays owed when it cannot be fetched anew, asked for by %s: its payer is not charged again',
    async (_, isNew) => {
      const { mainnet, provider } = gateway.solana;
      const buyer = await newBuyer(mainnet);
      const url = gateway.url + newPath();
      const payment = await buyer.pay(url);
      const transfers = () => mainnet.transfers.filter(({ from }) => from === buyer.address).length;
      // The answer to HEAD has no body: it is paid for and not delivered.
      expect((await ask(url, payment, { method: 'HEAD' })).status).toBe(200);
      vi.spyOn(Payments.prototype, 'answer').mockResolvedValue(undefined);
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
  let gateway: SellingGateway;
  beforeAll(async () => {
    gateway = await startSellingGateway(ROOMY);
  });
  afterAll(() => gateway.stop());

  it('reaches it at most 3 times, those included that are sent once more', async () => {
    const { mainnet, provider } = gateway.solana;
    const url = gateway.url + newPath();
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

/** Two gateways with one secret and separate databases, and a payment that both accept. */
async function openTwo() {
  const variables = { ...ROOMY, GATEWAY_SECRET: 'a secret that both of them have and use' };
  const first = await startSellingGateway(variables);
  const { solana } = first;
  const second = await startSellingGateway(variables, { solana });
  onTestFinished(() => second.stop().then(first.stop));
  const path = newPath();
  return { first, second, solana, path, payment: await (await newBuyer(solana.mainnet)).pay(first.url + path) };
}

describe('P6 a payment that is on the chain already, and not known here', () => {
  it.each<[string, Lies]>([
    ['the chain has not confirmed it', { statusProcessed: true }],
    ['one node of the RPC knows it and another one does not', { statusMissing: true }],
  ])('P6 is neither refused nor charged again while %s, and then it buys', async (_, lie) => {
    const { first, second, solana, path, payment } = await openTwo();
    expect((await ask(first.url + path, payment)).status).toBe(200);
    solana.mainnet.faults.lie = lie;
    const pending = await ask(second.url + path, payment);
    expect([pending.status, pending.code]).toEqual([503, 'settlement_pending']);
    expect(pending.headers.has('payment-required')).toBe(false);
    expect(solana.provider.arrivals).toHaveLength(1);
    solana.mainnet.faults.reset();
    expect((await ask(second.url + path, payment)).status).toBe(200);
    expect(solana.mainnet.transfers).toHaveLength(1);
  });

  it('P6 is not refused where that is found out only at settling, and one node of the RPC does not know it', async () => {
    const { first, second, solana, path, payment } = await openTwo();
    solana.provider.faults.delayMs = 1_500;
    const late = ask(second.url + path, payment);
    await until(() => solana.provider.arrivals.length === 1);
    solana.provider.faults.reset();
    expect((await ask(first.url + path, payment)).status).toBe(200);
    solana.mainnet.faults.lie = { statusMissing: true };
    const pending = await late;
    expect([pending.status, pending.code]).toEqual([503, 'settlement_pending']);
    solana.mainnet.faults.reset();
    const served = await askUntilDecided(second.url + path, payment);
    expect([served.status, served.isReplayed, solana.mainnet.transfers.length]).toEqual([200, true, 1]);
  });

  it('is found by its memo where another one settles', async () => {
    const secret = { GATEWAY_SECRET: 'a secret that both of them have and use' };
    const fixture = await openRemoteFixture(secret);
    const { chain, solana, url, payment } = fixture;
    expect((await ask(url, payment)).status).toBe(200);
    const remote = { FACILITATOR_URL: fixture.facilitatorUrl, FEE_PAYER_KEYPAIR: '' };
    const second = await startSellingGateway({ ...ROOMY, ...secret, ...remote }, { solana: solana });
    const reply = await ask(second.url + new URL(url).pathname, payment);
    expect([reply.status, reply.isReplayed]).toEqual([200, true]);
    expect(receiptIn(reply)).toMatchObject({ success: true, transaction: chain.transfers[0]?.signature });
    expect(chain.transfers).toHaveLength(1);
    await second.stop();
    await fixture.stop();
  });

  it('P6 is said to be settled when the store cannot note it', async () => {
    const { first, second, solana, path, payment } = await openTwo();
    expect((await ask(first.url + path, payment)).status).toBe(200);
    const noted = vi.spyOn(Payments.prototype, 'adopt').mockRejectedValueOnce(new Error('ENOSPC'));
    const failed = await ask(second.url + path, payment);
    expect([failed.status, failed.code, noted.mock.calls.length]).toEqual([503, 'state_unavailable', 1]);
    const [{ signature } = { signature: '' }] = solana.mainnet.transfers;
    expect(JSON.parse(failed.text)).toMatchObject({ payment: { state: 'settled', transaction: signature } });
    expect((await ask(second.url + path, payment)).status).toBe(200);
    expect([solana.provider.arrivals.length, solana.mainnet.transfers.length]).toEqual([2, 1]);
    noted.mockRestore();
  });

  it('is said to be settled when its upstream fails', async () => {
    const { first, second, solana, path, payment } = await openTwo();
    expect((await ask(first.url + path, payment)).status).toBe(200);
    solana.provider.faults.status = 500;
    const failed = await ask(second.url + path, payment);
    expect(failed.status).toBe(502);
    expect(failed.text).toContain('"state":"settled"');
    const again = await ask(second.url + path, payment);
    expect(again.status).toBe(502);
    expect(again.text).toContain('"state":"settled"');
  });
});
