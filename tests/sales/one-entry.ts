import { expect, vi } from 'vitest';
import { type Books, entriesFrom, type ReadEntry } from '../../packages/gateway/src/sales/journal.ts';
import type { Street } from '../payments/fault-process.ts';

async function allOf(books: Books): Promise<ReadEntry[]> {
  const all: ReadEntry[] = [];
  for await (const entries of entriesFrom(books, { sinceMs: 0 })) all.push(...entries);
  return all;
}

/**
 * The journal, as it is read beside the gateway that writes it, has one entry for each transfer on the chain. What the gateway has
 * found out of a transfer it answers from memory while the disk, which may be slow, still writes it.
 */
export async function expectOnePerTransfer(books: Books, { solana }: Street): Promise<void> {
  const transfers = solana.mainnet.transfers.filter(({ to }) => to === solana.payTo);
  const entries = await vi.waitFor(
    async () => {
      const written = await allOf(books);
      expect(written.map(({ kind, transaction, wallet, micros }) => [kind, transaction, wallet, micros])).toEqual(
        transfers.map(({ signature, from, amount }) => ['settlement', signature, from, Number(amount)]),
      );
      return written;
    },
    { timeout: 20_000 },
  );
  const sum = entries.reduce((total, { micros }) => total + micros, 0);
  expect(BigInt(sum)).toBe(await solana.mainnet.usdcBalance(solana.payTo));
}
