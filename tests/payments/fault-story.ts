import { expect } from 'vitest';
import { ask, askUntilDecided, newBuyer, newPath, type Reply } from './fault-buyer.ts';
import type { GatewaySeries } from './fault-process.ts';

/** The outcome of one payment. */
export interface Story {
  readonly replies: readonly Reply[];
  /** Upstream calls before and after the kill. */
  readonly calls: readonly [before: number, after: number];
  readonly transfers: number;
}

/** A payment whose gateway has killed itself. */
export interface Killed {
  /** Sends the same payment to the next gateway, twice. That gateway keeps running. */
  resend(): Promise<Story>;
}

/** Sends one payment to a gateway that kills itself after a step. */
export async function killAfter(step: string, series: GatewaySeries): Promise<Killed> {
  const { mainnet, provider } = series.solana;
  const path = newPath();
  const buyer = await newBuyer(mainnet);
  const calls = provider.arrivals.length;
  const doomed = await series.current();
  await series.armKill(doomed, step);
  const payment = await buyer.pay(doomed.url + path);
  const first = await ask(doomed.url + path, payment).catch(() => undefined);
  await series.untilKilled(doomed);
  const before = provider.arrivals.length - calls;
  return {
    async resend() {
      const callsBefore = provider.arrivals.length;
      const next = await series.current();
      const second = await askUntilDecided(next.url + path, payment);
      const third = await askUntilDecided(next.url + path, payment);
      return {
        replies: [first, second, third].filter((reply) => reply !== undefined),
        calls: [before, provider.arrivals.length - callsBefore],
        transfers: mainnet.transfers.filter(({ from }) => from === buyer.address).length,
      };
    },
  };
}

/** The same, and the payment is sent again at once. */
export const killedAfter = async (step: string, series: GatewaySeries): Promise<Story> =>
  (await killAfter(step, series)).resend();

/** One transfer, one answer, and no challenge, which would make the client pay again. */
export function expectServedOnce({ replies, transfers }: Story): void {
  expect(replies.map(({ status }) => status)).not.toContain(402);
  const served = replies.filter(({ status }) => status === 200);
  expect(served.length).toBeGreaterThanOrEqual(2);
  expect(served.filter(({ isReplayed }) => !isReplayed).length).toBeLessThanOrEqual(1);
  expect(new Set(served.map(({ text }) => text)).size).toBe(1);
  expect(transfers).toBe(1);
}
