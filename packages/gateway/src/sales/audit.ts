import bs58 from 'bs58';
import type { Chain } from '../payments/facilitator/chain.ts';
import { type Books, entriesFrom, type ReadEntry } from './journal.ts';
import { type ChainTransfer, type PayeeAccount, transferBy, transfersTo } from './payee-history.ts';
import { type Discrepancy, discrepanciesOf } from './verify.ts';
import { type Balance, grantFaults, Movements } from './verify-credit.ts';

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
  /** The ids of all debits. */
  readonly debits: ReadonlySet<string>;
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

interface Read {
  readonly entries: readonly ReadEntry[];
  readonly debits: ReadonlySet<string>;
  readonly movements: Movements;
  readonly firstMs: number | undefined;
}

async function readEntries(books: Books, sinceMs: number): Promise<Read> {
  const entries: ReadEntry[] = [];
  const movements = new Movements();
  const debits = new Set<string>();
  let firstMs: number | undefined;
  for await (const part of entriesFrom(books, { sinceMs: 0 })) {
    firstMs ??= part[0]?.atMs;
    for (const entry of part) {
      movements.add(entry);
      if (entry.kind === 'debit') debits.add(entry.id);
    }
    entries.push(...part.filter(({ atMs }) => atMs >= sinceMs - SKEW_MS));
  }
  return { entries, debits, movements, firstMs };
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
  const { entries, debits, movements, firstMs } = await readEntries(books, sinceMs);
  const networks = new Set(payees.map(({ payee }) => payee.network));
  const readable = entries.filter(({ network }) => networks.has(network));
  const judged = readable.filter(({ atMs }) => atMs >= sinceMs);
  const transfers = [...listed, ...(await olderTransfers(payees, judged, listed))];
  const isWhole = firstMs === undefined || nowMs - firstMs < keepMs - DAY_MS;
  const balances = isWhole ? await books.documents(movements.names()) : [];
  return {
    discrepancies: [
      ...discrepanciesOf({ sinceMs, entries: readable, transfers, open }),
      ...grantFaults(judged),
      ...(isWhole ? movements.faults(balances as readonly (Balance | undefined)[]) : []),
    ],
    entries: judged.length,
    transfers: listed,
    debits,
    skipped: isWhole ? undefined : 'balances were not compared: the oldest entries are no longer kept',
  };
}
