import { describe, expect, it } from 'vitest';
import { startSellingGateway } from '../kit/test-gateway.ts';
import { ask, ROOMY } from '../payments/fault-buyer.ts';
import { openRemoteFixture } from '../payments/fault-facilitator.ts';
import { newSale, type Sale } from '../payments/sale.ts';

const SECRET = { GATEWAY_SECRET: 'a secret that both of them have and use', METRICS_PORT: '0' };

type Books = Pick<Sale, 'gateway' | 'chain'>;

/** The settlements and the lamports that the books note, and the lamports that a fee payer has lost, both for what a task does. */
async function feesOf({ gateway, chain }: Books, feePayer: string, task: () => Promise<unknown>) {
  const booked = async () => {
    const url = new URL('/sales?by=cluster', gateway.gateway.metricsUrl);
    const { sales } = (await (await fetch(url)).json()) as { sales: Record<string, unknown>[] };
    return sales.map(({ settlements, fee_lamports: fees }) => ({ settlements, fees }));
  };
  expect(await booked()).toEqual([]);
  const held = chain.lamports(feePayer);
  await task();
  return { booked: await booked(), paid: Number(held - chain.lamports(feePayer)) };
}

/** The fee payer that a payment names. */
const feePayerOf = (payment: string): string => JSON.parse(atob(payment)).accepted.extra.feePayer;

/** A settlement, and a payment that fails on the chain. */
async function settleAndFail(sale: Sale, poor: Sale): Promise<void> {
  expect((await sale.ask()).outcome).toBe('200');
  poor.faults.lie = { simulateOk: true };
  expect((await poor.ask()).outcome).toMatch(/^402 \w+ refused$/);
  poor.faults.reset();
  expect([sale.moved(), poor.moved()[0]]).toEqual([[1, 1], 0]);
}

describe('the fees in the books', () => {
  it('are what the own fee payer has lost on the chain, also for a payment that has failed there', async () => {
    const gateway = await startSellingGateway({ ...ROOMY, ...SECRET });
    const [sale, poor] = [await newSale(gateway), await newSale(gateway, 1n)];
    const { booked, paid } = await feesOf(sale, feePayerOf(sale.payment), () => settleAndFail(sale, poor));
    expect(booked).toEqual([{ settlements: 1, fees: paid }]);
    expect(paid).toBeGreaterThan(0);
  });

  it('are none where a remote facilitator pays them', async () => {
    const sale = await openRemoteFixture({}, SECRET);
    const feePayer = feePayerOf(sale.payment);
    const { booked, paid } = await feesOf(sale, feePayer, async () => {
      expect((await sale.ask()).outcome).toBe('200');
    });
    expect(booked).toEqual([{ settlements: 1, fees: 0 }]);
    expect(paid).toBeGreaterThan(0);
  });

  it('are none for a settlement by a remote facilitator that only the chain tells about', async () => {
    const first = await openRemoteFixture({}, SECRET);
    expect((await first.ask()).outcome).toBe('200');
    const remote = { FACILITATOR_URL: first.facilitatorUrl, FEE_PAYER_KEYPAIR: '' };
    const gateway = await startSellingGateway({ ...ROOMY, ...SECRET, ...remote }, { solana: first.solana });
    const { chain, payment } = first;
    const { booked } = await feesOf({ gateway, chain }, feePayerOf(payment), async () => {
      expect((await ask(gateway.url + new URL(first.url).pathname, payment)).outcome).toBe('200 again');
    });
    expect(booked).toEqual([{ settlements: 1, fees: 0 }]);
    expect(first.moved()[0]).toBe(1);
  });
});
