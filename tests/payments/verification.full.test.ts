import type { Environment } from '@asset-gateway/gateway';
import bs58 from 'bs58';
import { afterEach, describe, expect, it } from 'vitest';
import type { SolanaSandbox } from '../../packages/sandbox/src/solana-sandbox.ts';
import { type SellingGateway, startSellingGateway } from '../kit/test-gateway.ts';
import { type Buyer, newBuyer, type Reply, ROOMY, until } from './fault-buyer.ts';
import { newSale, type Sale } from './sale.ts';

const gateway = await startSellingGateway(ROOMY);
afterEach(() => gateway.solana.mainnet.faults.reset());

/** Payments of as many wallets without enough USDC, one each or several. */
async function bogusOf(wallets: number, each = 1): Promise<Sale[]> {
  const buyers = await Promise.all(Array.from({ length: wallets }, () => newBuyer(gateway.solana.mainnet, 1n)));
  return Promise.all(buyers.flatMap((buyer) => Array.from({ length: each }, () => newSale(gateway, buyer))));
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
    const bogus = await bogusOf(3, 6);
    const honest = await newSale(gateway);
    const codes: string[] = [];
    const counts = await chainCallsOf(async () => {
      for (const sale of bogus) codes.push((await sale.ask()).code);
    });
    expect(codes.filter((code) => code === 'rate_limited')).toHaveLength(9);
    expect(codes.filter((code) => code.startsWith('invalid_exact_svm_'))).toHaveLength(9);
    expect(counts.get('simulateTransaction')).toBe(9);
    expect(counts.has('getSignatureStatuses')).toBe(false);
    expect(counts.has('sendTransaction')).toBe(false);
    expect((await honest.ask()).status).toBe(200);
  });

  it('V6 do not delay verified payments: settling has its own connections', async () => {
    const { mainnet } = gateway.solana;
    const [honest, bogus] = [await newSale(gateway), await bogusOf(20)];
    mainnet.faults.confirmAfterMs = 1_500;
    const sold = honest.ask();
    await until(() => honest.moved()[0] === 1);
    mainnet.faults.hang = new Set(['simulateTransaction', 'getLatestBlockhash']);
    const crowd = bogus.map((sale) => sale.ask());
    expect((await sold).outcome).toBe('200');
    mainnet.faults.reset();
    const codes = (await Promise.all(crowd)).map(({ code }) => code);
    expect(codes.filter((code) => code === 'rate_limited').length).toBeGreaterThanOrEqual(4);
    expect(codes.every((code) => code === 'rate_limited' || code === 'facilitator_unavailable')).toBe(true);
  });
});

/** The address of the sandbox's fee payer. */
const feePayerOf = ({ variables }: SolanaSandbox): string =>
  bs58.encode(bs58.decode(variables.FEE_PAYER_KEYPAIR ?? '').subarray(32));

/** Leaves this many lamports to the fee payer. */
function drain(solana: SolanaSandbox, left = 0n): void {
  const address = feePayerOf(solana);
  for (const chain of [solana.mainnet, solana.devnet]) chain.airdrop(address, left - chain.lamports(address));
}

const open = (variables: Environment = {}) => startSellingGateway({ ...ROOMY, ...variables });

const several = <T>(count: number, make: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, make));

async function buy(gateway: SellingGateway, buyer: Buyer | undefined): Promise<Reply> {
  if (!buyer) throw new Error('no buyer');
  const sale = await newSale(gateway, buyer);
  return sale.decided(sale.payment, 1_000);
}

const UNAVAILABLE = '503 facilitator_unavailable unused';
const transfersIn = ({ solana }: SellingGateway): number => solana.mainnet.transfers.length;

describe('the fee budget of the gateway', { timeout: 60_000 }, () => {
  it('W4 settlements of less than a cent leave half of the budget to known payers', async () => {
    const gateway = await open({ FEE_BUDGET_LAMPORTS_PER_HOUR: '45000' });
    const poor = await several(3, () => newBuyer(gateway.solana.mainnet));
    expect([(await buy(gateway, poor[0])).status, (await buy(gateway, poor[1])).status]).toEqual([200, 200]);
    const refused = [await buy(gateway, poor[0]), await buy(gateway, poor[2])];
    expect(refused.map(({ outcome }) => outcome)).toEqual([UNAVAILABLE, UNAVAILABLE]);
    expect([transfersIn(gateway), gateway.solana.provider.arrivals.length]).toEqual([2, 2]);
  });

  it('V11 without SOL in the fee payer nothing is sold and no payment is used; SOL reopens sales', async () => {
    const sale = await newSale(await open());
    const { chain, gateway } = sale;
    drain(gateway.solana);
    const calls = () => chain.calls.filter(({ method }) => method !== 'getAccountInfo').length;
    expect((await sale.ask()).outcome).toBe(UNAVAILABLE);
    const before = calls();
    expect([(await sale.ask()).outcome, calls()]).toEqual([UNAVAILABLE, before]);
    expect((await fetch(sale.url)).status).toBe(402);
    expect(sale.moved()).toEqual([0, 0]);
    chain.airdrop(feePayerOf(gateway.solana), 1_000_000_000n);
    expect((await sale.decided()).status).toBe(200);
    expect(gateway.logLines.filter((line) => line.includes('cannot pay fees'))).toHaveLength(1);
  }, 30_000);

  it('V11 also if the last SOL is spent between verify and settle', async () => {
    const sale = await newSale(await open());
    sale.provider.faults.delayMs = 300;
    const asked = sale.ask();
    await until(() => sale.provider.arrivals.length === 1);
    drain(sale.gateway.solana);
    expect([(await asked).outcome, sale.moved()[0]]).toEqual([UNAVAILABLE, 0]);
    sale.chain.airdrop(feePayerOf(sale.gateway.solana), 1_000_000_000n);
    expect([(await sale.decided()).status, sale.moved()[0]]).toEqual([200, 1]);
  }, 30_000);
});
