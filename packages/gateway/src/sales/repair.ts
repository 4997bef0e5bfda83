import type { LateGrant } from '../credit/grants.ts';
import { looksIssued } from '../payments/read/memo.ts';
import { paymentKeyOf } from '../payments/read/request-hash.ts';
import { readTransaction } from '../payments/read/transaction.ts';
import type { JournalEntry } from '../payments/store/journal.ts';
import type { PaymentDocuments } from '../payments/store/port.ts';
import type { PayeeChain } from './audit.ts';
import type { ChainTransfer } from './payee-history.ts';

/** Whether a transfer has paid for something here: what else arrives at the payee is no sale. */
export const isSale = ({ memo }: ChainTransfer): boolean => memo !== undefined && looksIssued(memo);

/** The entry that a transfer should have. What was asked for with it is not known any more. */
export async function missingEntry(transfer: ChainTransfer, payees: readonly PayeeChain[]): Promise<JournalEntry> {
  const { network, signature, wallet, micros, feeLamports, isFeeOurs } = transfer;
  const chain = payees.find(({ payee }) => payee.network === network)?.chain;
  const bytes = await chain?.transactionBytes(signature);
  const message = bytes && readTransaction(bytes)?.message;
  return {
    kind: 'settlement',
    id: message ? paymentKeyOf(network, message) : `${network}:${signature}`,
    network,
    wallet,
    micros,
    feeLamports: isFeeOurs ? feeLamports : 0,
    transaction: signature,
    route: '',
    requestId: '',
    node: '',
    isRepair: true,
  };
}

/** So long a repair is remembered, so that a second one at the same time does not write it again. */
const REMEMBERED_MS = 86_400_000;

/** What of a repaired settlement is credit; nothing where none is. `wasDebited`: its payment was covered by credit before. */
export type GrantOf = (settlement: JournalEntry, wasDebited: boolean) => LateGrant | undefined;

const markOf = ({ kind, transaction }: JournalEntry): string => `repair:${kind}:${transaction}`;

/** Whether such an entry was appended already, by whomever. */
export async function isAppended(documents: PaymentDocuments, entry: JournalEntry): Promise<boolean> {
  const [mark] = await documents.read([markOf(entry)]);
  return mark?.value !== undefined;
}

/** Appends an entry that is missing, once, and grants what it brought. Answers no where somebody else has just written. */
export async function append(
  documents: PaymentDocuments,
  entry: JournalEntry,
  grant: LateGrant | undefined,
): Promise<boolean> {
  const names = [markOf(entry), ...(grant ? [grant.name] : [])];
  const [was, account] = await documents.read(names);
  if (!was || was.value !== undefined) return false;
  const mark = { was, value: { id: entry.id }, isLasting: true, forgetMs: REMEMBERED_MS };
  const changes = [mark, ...(grant && account ? [grant.change(account)] : [])];
  const { isWritten } = await documents.commit({ changes, journal: [entry, ...(grant ? [grant.entry] : [])] });
  return isWritten;
}
