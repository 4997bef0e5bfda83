import type { JournalKind } from '../stores/sql/database.ts';
import type { Books, ReadEntry } from './books.ts';
import { isSignature } from './options.ts';
import {
  type ChainTransfer,
  ENTRY_SKEW_MS,
  type MissingEntry,
  missingEntry,
  type Payee,
  transferBy,
  transfersTo,
} from './payee-history.ts';

/** A difference between the journal and the chain or a balance. */
export interface Discrepancy {
  readonly fault: string;
  readonly cluster: string;
  readonly wallet: string;
  readonly transaction: string;
  readonly id: string;
  /** The value in the journal, and the value on the chain or in the balance. */
  readonly journal: string | number | undefined;
  readonly found: string | number | undefined;
  /** The command that appends the missing entry of a transfer. */
  readonly command?: string;
}

type Value = Discrepancy['found'];

/** Returns a discrepancy of a journal entry, of a transfer without an entry, or of a wallet. */
const about = (
  { cluster, wallet, transaction = '', id }: Pick<ReadEntry, 'cluster' | 'wallet'> & Partial<ReadEntry>,
  fault: string,
  journal: Value,
  found: Value,
): Discrepancy => ({ fault, cluster, wallet, transaction, id: String(id ?? ''), journal, found });

function ofSettlement(entry: ReadEntry, transfer: ChainTransfer | undefined): Discrepancy[] {
  if (!transfer) return [about(entry, 'entry without transfer', entry.usd_micros, undefined)];
  const faults: Discrepancy[] = [];
  const compare = (fault: string, journal: Value, found: Value) =>
    journal === found || faults.push(about(entry, fault, journal, found));
  compare('network differs', entry.cluster, transfer.payee.cluster);
  compare('amount differs', entry.usd_micros, transfer.micros);
  compare('wallet differs', entry.wallet, transfer.wallet);
  const isFeeOurs = entry.fee_lamports > 0 || transfer.isFeeOurs;
  compare('fee differs', entry.fee_lamports, isFeeOurs ? transfer.feeLamports : 0);
  return faults;
}

/** Compares a grant with its settlement. A payment cannot grant more than it has settled. */
function ofGrant(grant: ReadEntry, settlement: ReadEntry | undefined): Discrepancy[] {
  if (!settlement) return [about(grant, 'granted without settlement', grant.usd_micros, undefined)];
  if (grant.usd_micros <= settlement.usd_micros) return [];
  return [about(grant, 'granted beyond settlement', grant.usd_micros, settlement.usd_micros)];
}

const byTransaction = (entries: readonly ReadEntry[], kind: JournalKind) =>
  new Map(entries.flatMap((entry) => (entry.kind === kind ? [[entry.transaction, entry] as const] : [])));

/**
 * Returns the part of a transfer that its memo proves to be credit, if this deployment made the memo; otherwise
 * undefined.
 */
export type ProveCredit = (transfer: ChainTransfer) => number | undefined;

/**
 * A transfer without a settlement. `creditMicros`: its credit, if its memo or the debit of a covered payment proves it.
 * `refusal`: the journal entry of its refused payment, if there is one.
 */
export interface Missing {
  readonly transfer: ChainTransfer;
  readonly entry: MissingEntry;
  readonly creditMicros: number | undefined;
  readonly refusal: ReadEntry | undefined;
}

const VERIFY = 'asset-gateway sales verify';

function ofMissing({ transfer, creditMicros, refusal }: Missing): Discrepancy {
  const { signature, payee, wallet, micros } = transfer;
  const holder = { cluster: payee.cluster, wallet, transaction: signature };
  const command = creditMicros === undefined ? `${VERIFY} --grant ${signature}` : `${VERIFY} --repair`;
  const fault = refusal
    ? about(refusal, 'refused but paid', 0, micros)
    : about(holder, 'transfer without entry', undefined, micros);
  return { ...fault, command };
}

/** Reads the entries since a time, and those of the hour before, because clocks differ. */
async function readEntries(books: Books, sinceMs: number): Promise<ReadEntry[]> {
  const entries: ReadEntry[] = [];
  for await (const part of books.entries(Math.max(0, sinceMs - ENTRY_SKEW_MS))) entries.push(...part);
  return entries;
}

/** Returns the transfers by signature: those of the period, and earlier ones whose entries are in the period. */
async function transfersOf(payees: readonly Payee[], settled: readonly ReadEntry[], listed: readonly ChainTransfer[]) {
  const found = new Map(listed.map((transfer) => [transfer.signature, transfer]));
  for (const { transaction } of settled) {
    if (found.has(transaction) || !isSignature(transaction)) continue;
    for (const payee of payees) {
      const transfer = await transferBy(payee, transaction);
      if (transfer) found.set(transaction, transfer);
    }
  }
  return found;
}

/** Returns the start of the period in which each transfer must have an entry. The entry of an earlier transfer may have been deleted. */
async function comparableSince(books: Books, sinceMs: number): Promise<number> {
  const completeSinceMs = await books.completeSinceMs();
  return completeSinceMs === 0 ? sinceMs : Math.max(sinceMs, completeSinceMs + ENTRY_SKEW_MS);
}

/** Returns what is known of a transfer without a settlement. The whole amount of a covered payment becomes credit. */
async function missingOf(transfer: ChainTransfer, refusal: ReadEntry | undefined, books: Books, prove: ProveCredit) {
  const request = refusal && { route: refusal.route, requestId: refusal.request_id };
  const entry = { ...(await missingEntry(transfer)), ...request };
  const creditMicros = (await books.isCovered(entry.key)) ? entry.micros : prove(transfer);
  return { transfer, entry, refusal, creditMicros };
}

/**
 * Compares the complete part of the journal with the chain, and compares all balances with the journal. Each transfer to the payee must
 * have one entry, and each entry must have one transfer. A transfer from before the period may have an entry, but needs none. Reads the
 * chain before the open payments, so that each transfer that it finds has an entry or an open payment.
 */
export async function audit(books: Books, payees: readonly Payee[], fromMs: number, prove: ProveCredit) {
  const listMs = await comparableSince(books, fromMs);
  const all = (await Promise.all(payees.map((payee) => transfersTo(payee, listMs)))).flat();
  const open = (await books.openPayments()).filter(({ state }) => state !== 'given up');
  const entries = await readEntries(books, listMs);
  // Meanwhile retention may have deleted entries.
  const sinceMs = await comparableSince(books, fromMs);
  const isYoung = ({ atMs }: { readonly atMs: number }) => atMs >= sinceMs;
  const listed = all.filter(isYoung);
  const judged = entries.filter((entry) => isYoung(entry) && payees.some(({ cluster }) => cluster === entry.cluster));
  const ofKind = (kind: JournalKind) => judged.filter((entry) => entry.kind === kind);
  const settlements = byTransaction(entries, 'settlement');
  const transfers = await transfersOf(payees, ofKind('settlement'), all);
  const isUnclaimed = ({ signature, memo }: ChainTransfer) =>
    !settlements.has(signature) &&
    !open.some((each) => each.transaction === signature || (memo !== undefined && each.memo === memo));
  const refusals = byTransaction(entries, 'refusal');
  const missing: Missing[] = [];
  for (const transfer of listed.filter(isUnclaimed))
    missing.push(await missingOf(transfer, refusals.get(transfer.signature), books, prove));
  return {
    discrepancies: [
      ...ofKind('settlement').flatMap((entry) => ofSettlement(entry, transfers.get(entry.transaction))),
      ...missing.map(ofMissing),
      ...ofKind('grant').flatMap((entry) => ofGrant(entry, settlements.get(entry.transaction))),
      ...(await books.wrongBalances()).map((each) => about(each, 'balance differs', each.journal, each.found)),
    ],
    entries: judged.length,
    transfers: listed.length,
    missing,
  };
}
