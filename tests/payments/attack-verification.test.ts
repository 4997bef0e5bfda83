import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { startSellingGateway } from '../kit/selling-gateway.ts';
import { ask, type Buyer, newBuyer, newPath, ROOMY, until } from './fault-buyer.ts';

const gateway = await startSellingGateway(ROOMY);
afterEach(() => gateway.solana.mainnet.faults.reset());
afterAll(() => gateway.stop());

/** Wallets without enough USDC for their payments. */
const poor = (count: number): Promise<Buyer[]> =>
  Promise.all(Array.from({ length: count }, () => newBuyer(gateway.solana.mainnet, 1n)));

/** A payment that was not sent yet. */
async function paid(buyer: Buyer): Promise<readonly [url: string, payment: string]> {
  const url = gateway.url + newPath();
  return [url, await buyer.pay(url)];
}

/** Runs a task, and counts its RPC calls by method. */
async function chainCallsOf(run: () => Promise<unknown>): Promise<Map<string, number>> {
  const { calls } = gateway.solana.mainnet;
  const from = calls.length;
  await run();
  const counts = new Map<string, number>();
  for (const { method } of calls.slice(from)) counts.set(method, (counts.get(method) ?? 0) + 1);
  return counts;
}

describe('V6 payments that fail verification', () => {
  it('V6 cost one RPC call each, at most three per payer; honest buyers are served', async () => {
    const keys = await poor(10);
    const bogus = await Promise.all(keys.flatMap((key) => Array.from({ length: 6 }, () => paid(key))));
    const honest = await newBuyer(gateway.solana.mainnet);
    const codes: string[] = [];
    const counts = await chainCallsOf(async () => {
      for (const each of bogus) codes.push((await ask(...each)).code);
    });
    expect(codes.filter((code) => code === 'rate_limited')).toHaveLength(30);
    expect(codes.filter((code) => code.startsWith('invalid_exact_svm_'))).toHaveLength(30);
    expect(counts.get('simulateTransaction')).toBe(30);
    expect(counts.has('getSignatureStatuses')).toBe(false);
    expect(counts.has('sendTransaction')).toBe(false);
    const [url, payment] = await paid(honest);
    expect((await ask(url, payment)).status).toBe(200);
  });

  it('V6 read the block height at most once a second', async () => {
    const keys = await poor(10);
    const bogus = await Promise.all(keys.map((key) => paid(key)));
    const sinceMs = performance.now();
    const counts = await chainCallsOf(() => Promise.all(bogus.map((each) => ask(...each))));
    const seconds = Math.ceil((performance.now() - sinceMs) / 1_000);
    expect(counts.get('getLatestBlockhash') ?? 0).toBeLessThanOrEqual(seconds + 1);
  });

  it('V6 do not delay verified payments: settling has its own connections', async () => {
    const { mainnet } = gateway.solana;
    const [honest, keys] = [await newBuyer(mainnet), await poor(40)];
    const bogus = await Promise.all(keys.map((key) => paid(key)));
    const [url, payment] = await paid(honest);
    mainnet.faults.confirmAfterMs = 1_500;
    const sold = ask(url, payment);
    await until(() => mainnet.transfers.some(({ from }) => from === honest.address));
    mainnet.faults.hang = new Set(['simulateTransaction', 'getLatestBlockhash']);
    const crowd = bogus.map((each) => ask(...each));
    const reply = await sold;
    expect([reply.status, reply.isReplayed]).toEqual([200, false]);
    mainnet.faults.reset();
    const codes = (await Promise.all(crowd)).map(({ code }) => code);
    expect(codes.filter((code) => code === 'rate_limited').length).toBeGreaterThanOrEqual(24);
    expect(codes.every((code) => code === 'rate_limited' || code === 'facilitator_unavailable')).toBe(true);
  });
});

describe('V6 payments that fail verification while clients choose their memos', () => {
  it('V6 do not lock out another payer with the same memo', async () => {
    const memo = 'for services rendered';
    const gateway = await startSellingGateway({ ...ROOMY, PAYMENT_MEMO: 'off' });
    const [honest, first, second] = await Promise.all(
      [1_000_000n, 1n, 1n].map((micros) => newBuyer(gateway.solana.mainnet, micros)),
    );
    for (const buyer of [first, first, second, second]) {
      const url = gateway.url + newPath();
      const reply = await ask(url, await buyer?.payWithMemo(url, memo));
      expect(reply.code).toBe('invalid_exact_svm_transaction_simulation_failed');
    }
    const url = gateway.url + newPath();
    expect((await ask(url, await honest?.payWithMemo(url, memo))).status).toBe(200);
    expect(gateway.solana.mainnet.transfers).toHaveLength(1);
    await gateway.stop();
  });
});
