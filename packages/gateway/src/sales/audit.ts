import bs58 from 'bs58';
import type { Chain } from '../payments/facilitator/chain.ts';
import type { Books, OpenPayment, ReadEntry, WrongBalance } from './books.ts';
import { type ChainTransfer, type PayeeAccount, transferBy, transfersTo } from './payee-history.ts';

/** What can be wrong with the journal, the chain or a balance. */
export type Fault =
  | 'transfer without entry'
  | 'entry without transfer'
  | 'amount differs'
  | 'wallet differs'
  | 'network differs'
  | 'fee differs'
  | 'refused but paid'
  | 'granted without settlement'
  | 'granted beyond settlement'
  | 'balance differs';

/** One thing that does not agree with another. */
export interface Discrepancy {
  readonly fault: Fault;
  readonly cluster: string;
  readonly wallet: string;
  readonly transaction: string;
  readonly id: string;
  /** What the journal says, and what the chain or the balance says instead. */
  readonly journal: string | number | undefined;
  readonly found: string | number | undefined;
}

/** What is compared. */
interface Evidence {
  /** From when on everything is judged, in milliseconds; what is older is there to be matched only. */
  readonly sinceMs: number;
  /** Every entry since, and those of shortly before. */
  readonly entries: readonly ReadEntry[];
  /** Every transfer to the payee since, and those of entries since. */
  readonly transfers: readonly ChainTransfer[];
  /** Payments whose outcome is not known yet: what they have moved has no entry. */
  readonly open: readonly OpenPayment[];
}

const about = (entry: ReadEntry, fault: Fault, journal?: string | number, found?: string | number): Discrepancy => {
  const { cluster, wallet, transaction, id } = entry;
  return { fault, cluster, wallet, transaction, id: String(id), journal, found };
};

function ofSettlement(entry: ReadEntry, transfer: ChainTransfer | undefined): Discrepancy[] {
  if (!transfer) return [about(entry, 'entry without transfer', entry.micros)];
  const faults: Discrepancy[] = [];
  const compare = (fault: Fault, journal: string | number, found: string | number) =>
    journal === found || faults.push(about(entry, fault, journal, found));
  compare('network differs', entry.cluster, transfer.cluster);
  compare('amount differs', entry.micros, transfer.micros);
  compare('wallet differs', entry.wallet, transfer.wallet);
  const isFeeOurs = entry.feeLamports > 0 || transfer.isFeeOurs;
  compare('fee differs', entry.feeLamports, isFeeOurs ? transfer.feeLamports : 0);
  return faults;
}

/** What is known of transfers that no settlement has claimed. */
interface Known {
  readonly refusals: ReadonlyMap<string, ReadEntry>;
  readonly openSignatures: ReadonlySet<string | undefined>;
  readonly openMemos: ReadonlySet<string | undefined>;
}

/** A transfer that no settlement has claimed: refused by mistake, not settled yet, or not known at all. */
function ofUnclaimed(transfer: ChainTransfer, { refusals, openSignatures, openMemos }: Known): Discrepancy[] {
  const { cluster, signature, memo, wallet, micros } = transfer;
  if (openSignatures.has(signature) || (memo !== undefined && openMemos.has(memo))) return [];
  const refusal = refusals.get(signature);
  if (refusal) return [about(refusal, 'refused but paid', 0, micros)];
  const fault = 'transfer without entry';
  return [{ fault, cluster, wallet, transaction: signature, id: '', journal: undefined, found: micros }];
}

const byTransaction = (entries: readonly ReadEntry[]) =>
  new Map(entries.map((entry) => [entry.transaction, entry] as const));

/** Where the journal and the chain do not agree: each transfer to the payee must have one entry, and each entry a transfer. */
function discrepanciesOf({ sinceMs, entries, transfers, open }: Evidence): Discrepancy[] {
  const isJudged = ({ atMs }: { readonly atMs: number }) => atMs >= sinceMs;
  const settlements = entries.filter(({ kind }) => kind === 'settlement');
  const found = new Map(transfers.map((transfer) => [transfer.signature, transfer]));
  const claimed = byTransaction(settlements);
  const known: Known = {
    refusals: byTransaction(entries.filter(({ kind }) => kind === 'refusal')),
    openSignatures: new Set(open.map(({ signature }) => signature)),
    openMemos: new Set(open.map(({ memo }) => memo)),
  };
  return [
    ...settlements.filter(isJudged).flatMap((entry) => ofSettlement(entry, found.get(entry.transaction))),
    ...transfers
      .filter((transfer) => isJudged(transfer) && !claimed.has(transfer.signature))
      .flatMap((transfer) => ofUnclaimed(transfer, known)),
  ];
}

/** Grants that are not backed by a settlement, or by less. */
function grantFaults(entries: readonly ReadEntry[]): Discrepancy[] {
  const settled = new Map(
    entries.filter(({ kind }) => kind === 'settlement').map(({ transaction, micros }) => [transaction, micros]),
  );
  return entries.flatMap((entry) => {
    const micros = settled.get(entry.transaction);
    if (entry.kind !== 'grant' || (micros !== undefined && entry.micros <= micros)) return [];
    const fault = micros === undefined ? 'granted without settlement' : 'granted beyond settlement';
    return [about(entry, fault, entry.micros, micros)];
  });
}

/** Wallets whose balance is not what the journal says. */
const balanceFaults = (balances: readonly WrongBalance[]): Discrepancy[] =>
  balances.map(({ cluster, wallet, journal, found }) => {
    return { fault: 'balance differs', cluster, wallet, transaction: '', id: '', journal, found };
  });

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
