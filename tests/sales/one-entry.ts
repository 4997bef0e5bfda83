import { expect } from 'vitest';
import { type Books, entriesFrom, type ReadEntry } from '../../packages/gateway/src/sales/journal.ts';
import type { Street } from '../payments/fault-process.ts';

async function allOf(books: Books): Promise<ReadEntry[]> {
  const all: ReadEntry[] = [];
  for await (const entries of entriesFrom(books, { sinceMs: 0 })) all.push(...entries);
  return all;
}

/** The journal, as it is read beside the gateway that writes it, has one entry for each transfer on the chain. */
export async function expectOnePerTransfer(books: Books, { solana }: Street): Promise<void> {
  const entries = await allOf(books);
  const transfers = solana.mainnet.transfers.filter(({ to }) => to === solana.payTo);
  expect(entries.map(({ kind, transaction, wallet, micros }) => [kind, transaction, wallet, micros])).toEqual(
    transfers.map(({ signature, from, amount }) => ['settlement', signature, from, Number(amount)]),
  );
  const sum = entries.reduce((total, { micros }) => total + micros, 0);
  expect(BigInt(sum)).toBe(await solana.mainnet.usdcBalance(solana.payTo));
}
