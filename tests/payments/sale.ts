import { expect } from 'vitest';
import type { SellingGateway } from '../kit/test-gateway.ts';
import { ask, askUntilDecided, type Buyer, DOLLAR, newBuyer, newPath, receiptIn } from './fault-buyer.ts';

/** One payment for one request, not sent yet; default: of a new buyer with a dollar. */
export async function newSale(gateway: SellingGateway, by: bigint | Buyer = DOLLAR) {
  const { mainnet: chain, provider } = gateway.solana;
  const buyer = typeof by === 'bigint' ? await newBuyer(chain, by) : by;
  const path = newPath();
  const url = gateway.url + path;
  const ours = path.slice(path.lastIndexOf('/'));
  const payment = await buyer.pay(url);
  return {
    gateway,
    chain,
    faults: chain.faults,
    provider,
    buyer,
    url,
    payment,
    /** Sends the payment, or another one, once. */
    ask: (other = payment, init: RequestInit = {}) => ask(url, other, init),
    /** Sends the payment, or another one, until its outcome is known. */
    decided: (other = payment, limitMs?: number) => askUntilDecided(url, other, limitMs),
    /** Another payment of the buyer for the same request. */
    renew: () => buyer.pay(url),
    /** The buyer's transfers, and the upstream calls for this request. */
    moved: (): readonly [transfers: number, calls: number] => [
      chain.transfers.filter(({ from }) => from === buyer.address).length,
      provider.arrivals.filter(({ target }) => target.includes(ours)).length,
    ],
  };
}

/** Buys one answer with a new wallet. */
export async function buyOnce(gateway: SellingGateway): Promise<void> {
  const sale = await newSale(gateway);
  // PostgreSQL on a busy machine may answer too late once.
  expect((await sale.decided()).status).toBe(200);
}

export type Sale = Awaited<ReturnType<typeof newSale>>;

/** Sends the payment until its outcome is known, and expects the stored answer after one transfer and one upstream call. */
export async function expectStored(sale: Sale, payment = sale.payment, limitMs?: number): Promise<void> {
  const reply = await sale.decided(payment, limitMs);
  expect(reply.outcome).toBe('200 again');
  const transfer = sale.chain.transfers.find(({ from }) => from === sale.buyer.address);
  expect(receiptIn(reply)).toMatchObject({ success: true, transaction: transfer?.signature });
  expect(sale.moved()).toEqual([1, 1]);
}
