import bs58 from 'bs58';
import type { JournalKind } from '../stores/sql/database.ts';
import type { Books, OpenPayment, ReadEntry } from './books.ts';
import { type ChainTransfer, type Payee, transferBy, transfersTo } from './payee-history.ts';

/** A fault in the journal, the chain or a balance. */
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

/** A difference between the journal and the chain or a balance. */
export interface Discrepancy {
  readonly fault: Fault;
  readonly cluster: string;
  readonly wallet: string;
  readonly transaction: string;
  readonly id: string;
  /** The value in the journal, and the value on the chain or in the balance. */
  readonly journal: string | number | undefined;
  readonly found: string | number | undefined;
}

type Value = Discrepancy['found'];

/** A fault of a journal entry, of a transfer without one, or of a wallet. */
const about = (
  { cluster, wallet, transaction = '', id }: Pick<ReadEntry, 'cluster' | 'wallet'> & Partial<ReadEntry>,
  fault: Fault,
  journal: Value,
  found: Value,
): Discrepancy => ({ fault, cluster, wallet, transaction, id: String(id ?? ''), journal, found });

function ofSettlement(entry: ReadEntry, transfer: ChainTransfer | undefined): Discrepancy[] {
  if (!transfer) return [about(entry, 'entry without transfer', entry.micros, undefined)];
  const faults: Discrepancy[] = [];
  const compare = (fault: Fault, journal: Value, found: Value) =>
    journal === found || faults.push(about(entry, fault, journal, found));
  compare('network differs', entry.cluster, transfer.cluster);
  compare('amount differs', entry.micros, transfer.micros);
  compare('wallet differs', entry.wallet, transfer.wallet);
  const isFeeOurs = entry.feeLamports > 0 || transfer.isFeeOurs;
  compare('fee differs', entry.feeLamports, isFeeOurs ? transfer.feeLamports : 0);
  return faults;
}

/** A grant is part of its settlement. */
function ofGrant(grant: ReadEntry, settlement: ReadEntry | undefined): Discrepancy[] {
  if (!settlement) return [about(grant, 'granted without settlement', grant.micros, undefined)];
  if (grant.micros <= settlement.micros) return [];
  return [about(grant, 'granted beyond settlement', grant.micros, settlement.micros)];
}

const byTransaction = (entries: readonly ReadEntry[], kind: JournalKind) =>
  new Map(entries.flatMap((entry) => (entry.kind === kind ? [[entry.transaction, entry] as const] : [])));

/**
 * Differences between journal and chain: each transfer to the payee must have one entry, and each entry one transfer. What is older
 * is only matched, not judged.
 */
function discrepanciesOf(
  sinceMs: number,
  entries: readonly ReadEntry[],
  transfers: readonly ChainTransfer[],
  open: readonly OpenPayment[],
): Discrepancy[] {
  const isJudged = ({ atMs }: { readonly atMs: number }) => atMs >= sinceMs;
  const found = new Map(transfers.map((transfer) => [transfer.signature, transfer]));
  const settlements = byTransaction(entries, 'settlement');
  const refusals = byTransaction(entries, 'refusal');
  const openSignatures = new Set(open.map(({ signature }) => signature));
  const openMemos = new Set(open.map(({ memo }) => memo));
  /** A transfer without a settlement: refused by mistake, not settled yet, or unknown. */
  const ofUnclaimed = (transfer: ChainTransfer): Discrepancy[] => {
    const { signature, memo, micros } = transfer;
    if (openSignatures.has(signature) || (memo !== undefined && openMemos.has(memo))) return [];
    const refusal = refusals.get(signature);
    if (refusal) return [about(refusal, 'refused but paid', 0, micros)];
    const { cluster, wallet } = transfer;
    return [about({ cluster, wallet, transaction: signature }, 'transfer without entry', undefined, micros)];
  };
  const unclaimed = transfers.filter((transfer) => isJudged(transfer) && !settlements.has(transfer.signature));
  const judged = (kind: JournalKind) => entries.filter((entry) => entry.kind === kind && isJudged(entry));
  return [
    ...judged('settlement').flatMap((entry) => ofSettlement(entry, found.get(entry.transaction))),
    ...unclaimed.flatMap(ofUnclaimed),
    ...judged('grant').flatMap((entry) => ofGrant(entry, settlements.get(entry.transaction))),
  ];
}

/** How far an entry's time may be from its transfer's: they are written at different times, by different clocks. */
const SKEW_MS = 3_600_000;
const DAY_MS = 86_400_000;

const SIGNATURE_BYTES = 64;

/** Only signatures are sent to an RPC. */
const isSignature = (text: string): boolean => bs58.decodeUnsafe(text)?.length === SIGNATURE_BYTES;

/** The period that is compared, and how long entries are kept. */
type Span = Readonly<Record<'sinceMs' | 'nowMs' | 'keepMs', number>>;

/** Entries since a time, and those shortly before. */
async function readEntries(books: Books, sinceMs: number): Promise<ReadEntry[]> {
  const entries: ReadEntry[] = [];
  for await (const part of books.entries(Math.max(0, sinceMs - SKEW_MS))) entries.push(...part);
  return entries;
}

/** Looks up the transfers before the period whose entries are in it. */
async function olderTransfers(
  payees: readonly Payee[],
  entries: readonly ReadEntry[],
  known: readonly ChainTransfer[],
): Promise<ChainTransfer[]> {
  const signatures = new Set(known.map(({ signature }) => signature));
  const missing = entries.filter(({ kind, transaction }) => kind === 'settlement' && !signatures.has(transaction));
  const found: ChainTransfer[] = [];
  for (const { transaction } of missing) {
    if (!isSignature(transaction)) continue;
    for (const payee of payees) {
      const transfer = await transferBy(payee, transaction);
      if (transfer) found.push(transfer);
    }
  }
  return found;
}

/**
 * Compares the journal with the chain, as far back as it is complete, and with all balances. The chain is read first: each of its
 * transfers then has an entry or an open payment.
 */
export async function audit(books: Books, payees: readonly Payee[], span: Span) {
  const completeSinceMs = await books.completeSinceMs();
  const sinceMs = Math.max(span.sinceMs, completeSinceMs, span.nowMs - span.keepMs + DAY_MS);
  const listed = (await Promise.all(payees.map((payee) => transfersTo(payee, sinceMs)))).flat();
  const open = await books.openPayments();
  const entries = await readEntries(books, sinceMs);
  const clusters = new Set<string>(payees.map(({ cluster }) => cluster));
  const readable = entries.filter(({ cluster }) => clusters.has(cluster));
  const judged = readable.filter(({ atMs }) => atMs >= sinceMs);
  const transfers = [...listed, ...(await olderTransfers(payees, judged, listed))];
  const balances = await books.wrongBalances();
  return {
    discrepancies: [
      ...discrepanciesOf(sinceMs, readable, transfers, open),
      ...balances.map((each) => about(each, 'balance differs', each.journal, each.found)),
    ],
    entries: judged.length,
    transfers: listed,
    /** Keys of payments that credit has covered. */
    covered: await books.coveredKeys(),
  };
}

/** The result of an audit. */
export type Findings = Awaited<ReturnType<typeof audit>>;
