import { expect } from 'vitest';
import { ask, askUntilDecided, type Buyer, newBuyer, newPath, type Reply } from './fault-buyer.ts';
import type { Street } from './fault-process.ts';

/** What one payment has come to. */
export interface Story {
  readonly replies: readonly Reply[];
  /** Upstream calls before and after the kill. */
  readonly calls: readonly [before: number, after: number];
  readonly transfers: number;
}

const buyers = new WeakMap<Street, Promise<Buyer>>();

async function buyerIn(street: Street): Promise<Buyer> {
  const known = buyers.get(street) ?? newBuyer(street.solana.mainnet, 1_000_000_000n);
  buyers.set(street, known);
  return known;
}

/** One payment at a gateway that kills itself after a step, then the same payment at the next gateway, twice. That one stays. */
export async function killedAfter(step: string, street: Street): Promise<Story> {
  const { mainnet, provider } = street.solana;
  const path = newPath();
  const buyer = await buyerIn(street);
  const [calls, transfers] = [provider.arrivals.length, mainnet.transfers.length];
  const doomed = await street.standing();
  await street.doom(doomed, step);
  const payment = await buyer.pay(doomed.url + path);
  const first = await ask(doomed.url + path, payment).catch(() => undefined);
  await street.fallen(doomed);
  const before = provider.arrivals.length;
  const next = await street.standing();
  const second = await askUntilDecided(next.url + path, payment);
  const third = await askUntilDecided(next.url + path, payment);
  return {
    replies: [first, second, third].filter((reply) => reply !== undefined),
    calls: [before - calls, provider.arrivals.length - before],
    transfers: mainnet.transfers.length - transfers,
  };
}

/** One transfer, one answer, and never a word that could make the client pay again. */
export function expectServedOnce({ replies, transfers }: Story): void {
  expect(replies.map(({ status }) => status)).not.toContain(402);
  const served = replies.filter(({ status }) => status === 200);
  expect(served.length).toBeGreaterThanOrEqual(2);
  expect(served.filter(({ isReplayed }) => !isReplayed).length).toBeLessThanOrEqual(1);
  expect(new Set(served.map(({ text }) => text)).size).toBe(1);
  expect(transfers).toBe(1);
}
