import bs58 from 'bs58';
import type { Chain } from '../payments/facilitator/chain.ts';
import type { Books, ReadEntry } from './books.ts';
import { type ChainTransfer, type PayeeAccount, transferBy, transfersTo } from './payee-history.ts';
import { balanceFaults, type Discrepancy, discrepanciesOf, grantFaults } from './verify.ts';

/** Where the payee is paid on a cluster, and where that can be looked up. */
export interface PayeeChain {
  readonly payee: PayeeAccount;
  readonly chain: Chain;
}

/** What an audit has found. */
export interface Findings {
  readonly discrepancies: readonly Discrepancy[];
  readonly entries: number;
  readonly transfers: readonly ChainTransfer[];
  /** The keys of payments that credit has covered. */
  readonly covered: ReadonlySet<string>;
  /** Why balances were not compared; nothing where they were. */
  readonly skipped: string | undefined;
}

/** An entry is written at most so long after its transfer by the clock of the chain, which may be ahead of the store's. */
const SKEW_MS = 3_600_000;
const DAY_MS = 86_400_000;

const SIGNATURE_BYTES = 64;

/** An RPC is asked for nothing else. */
const isSignature = (text: string): boolean => bs58.decodeUnsafe(text)?.length === SIGNATURE_BYTES;

/** What is compared: everything since a time, as far as entries are kept. */
interface Span {
  readonly sinceMs: number;
  readonly nowMs: number;
  /** How long entries are kept, in milliseconds. */
  readonly keepMs: number;
}

/** Entries since a time, and those that were written shortly before. */
async function readEntries(books: Books, sinceMs: number): Promise<ReadEntry[]> {
  const entries: ReadEntry[] = [];
  for await (const part of books.entries(Math.max(0, sinceMs - SKEW_MS))) entries.push(...part);
  return entries;
}

/** Transfers that were made before, of entries that were written since: each is looked up. */
async function olderTransfers(
  payees: readonly PayeeChain[],
  entries: readonly ReadEntry[],
  known: readonly ChainTransfer[],
): Promise<ChainTransfer[]> {
  const signatures = new Set(known.map(({ signature }) => signature));
  const missing = entries.filter(({ kind, transaction }) => kind === 'settlement' && !signatures.has(transaction));
  const found: ChainTransfer[] = [];
  for (const { transaction } of missing) {
    if (!isSignature(transaction)) continue;
    for (const { payee, chain } of payees) {
      const transfer = await transferBy(payee, chain, transaction);
      if (transfer) found.push(transfer);
    }
  }
  return found;
}

/**
 * Compares the journal with the chain and, where it is whole, with balances. The chain is read first: what is on it by then is in
 * the hands of a payment that is open, or has its entry.
 */
export async function audit(books: Books, payees: readonly PayeeChain[], span: Span): Promise<Findings> {
  const { nowMs, keepMs } = span;
  // Of what is older the entries may be gone.
  const sinceMs = Math.max(span.sinceMs, nowMs - keepMs + DAY_MS);
  const listed = (await Promise.all(payees.map(({ payee, chain }) => transfersTo(payee, chain, sinceMs)))).flat();
  const open = await books.openPayments();
  const entries = await readEntries(books, sinceMs);
  const clusters = new Set<string>(payees.map(({ payee }) => payee.cluster));
  const readable = entries.filter(({ cluster }) => clusters.has(cluster));
  const judged = readable.filter(({ atMs }) => atMs >= sinceMs);
  const transfers = [...listed, ...(await olderTransfers(payees, judged, listed))];
  const firstMs = await books.firstMs();
  const isWhole = firstMs === undefined || nowMs - firstMs < keepMs - DAY_MS;
  return {
    discrepancies: [
      ...discrepanciesOf({ sinceMs, entries: readable, transfers, open }),
      ...grantFaults(judged),
      ...balanceFaults(isWhole ? await books.wrongBalances() : []),
    ],
    entries: judged.length,
    transfers: listed,
    covered: await books.coveredKeys(),
    skipped: isWhole ? undefined : 'balances were not compared: the oldest entries are no longer kept',
  };
}
