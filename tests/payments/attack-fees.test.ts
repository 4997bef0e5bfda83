import type { Environment } from '@asset-gateway/gateway';
import bs58 from 'bs58';
import { describe, expect, it } from 'vitest';
import type { SolanaSandbox } from '../../packages/sandbox/src/solana-sandbox.ts';
import { type SellingGateway, startSellingGateway } from '../kit/test-gateway.ts';
import { callOf, paymentFor, sendPaid } from './calls.ts';
import { type Buyer, newBuyer, type Reply, ROOMY, until } from './fault-buyer.ts';
import { newSale } from './sale.ts';
import { openWallet } from './wallets.ts';

/** Two settlements, as stock clients make them; one of a payer that is not known. Each payment makes its payer known. */
const TWO_FEES = { FEE_BUDGET_LAMPORTS_PER_HOUR: '25000', PRICE_SURCHARGE_USD_MICROS: '10000' };

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
  it('V3 payments that fail verification take nothing from the budget', async () => {
    const gateway = await open(TWO_FEES);
    const honest = await newBuyer(gateway.solana.mainnet);
    const poor = await several(3, () => newBuyer(gateway.solana.mainnet, 1n));
    for (let round = 0; round < 4; round++) {
      const replies = await Promise.all(poor.map((buyer) => buy(gateway, buyer)));
      expect(replies.map(({ status }) => status)).toEqual(poor.map(() => (round < 3 ? 402 : 429)));
    }
    expect([transfersIn(gateway), gateway.solana.provider.arrivals.length]).toEqual([0, 0]);
    expect([(await buy(gateway, honest)).status, (await buy(gateway, honest)).status]).toEqual([200, 200]);
  });

  it('W4 settlements of less than a cent leave half of the budget to known payers', async () => {
    const gateway = await open({ FEE_BUDGET_LAMPORTS_PER_HOUR: '45000' });
    const poor = await several(3, () => newBuyer(gateway.solana.mainnet));
    expect([(await buy(gateway, poor[0])).status, (await buy(gateway, poor[1])).status]).toEqual([200, 200]);
    const refused = [await buy(gateway, poor[0]), await buy(gateway, poor[2])];
    expect(refused.map(({ outcome }) => outcome)).toEqual([UNAVAILABLE, UNAVAILABLE]);
    expect([transfersIn(gateway), gateway.solana.provider.arrivals.length]).toEqual([2, 2]);
  });

  it('W4 settlements on devnet take nothing from the budget of mainnet', async () => {
    const gateway = await open({ FEE_BUDGET_LAMPORTS_PER_HOUR: '21000' });
    const path = callOf('rpc.devnet.helius.getBalance');
    const call = async () => {
      const wallet = await openWallet(gateway.solana);
      return sendPaid(gateway, path, await paymentFor(gateway, path, wallet));
    };
    expect([(await call()).status, (await call()).status]).toEqual([200, 503]);
    expect((await buy(gateway, await newBuyer(gateway.solana.mainnet))).status).toBe(200);
    expect([gateway.solana.devnet.transfers.length, transfersIn(gateway)]).toEqual([1, 1]);
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
