import { NETWORKS } from '@asset-gateway/protocol';
import { looksIssued, paymentKeyOf } from '../payments/read/memo.ts';
import { readTransaction } from '../payments/read/transaction.ts';
import type { Database } from '../stores/sql/database.ts';
import { append, type JournalEntry } from '../stores/sql/journal.ts';
import type { PayeeChain } from './audit.ts';
import type { ChainTransfer } from './payee-history.ts';

/** Whether a transfer is a sale: its memo must have been issued by a gateway. */
export const isSale = ({ memo }: ChainTransfer): boolean => memo !== undefined && looksIssued(memo);

/** The settlement of a transfer without an entry. Its request is unknown. */
export type MissingEntry = JournalEntry & { readonly key: string };

/** The entry that a transfer should have. */
export async function missingEntry(transfer: ChainTransfer, payees: readonly PayeeChain[]): Promise<MissingEntry> {
  const { signature, wallet, micros, feeLamports, isFeeOurs } = transfer;
  const on = payees.find(({ payee }) => payee.cluster === transfer.cluster);
  const bytes = await on?.chain.transactionBytes(signature);
  const message = bytes && readTransaction(bytes)?.message;
  const network = NETWORKS[on?.payee.cluster ?? 'mainnet'];
  return {
    kind: 'settlement',
    key: message ? paymentKeyOf(network, message) : `${network}:${signature}`,
    cluster: transfer.cluster,
    wallet,
    micros,
    feeLamports: isFeeOurs ? feeLamports : 0,
    transaction: signature,
    route: '',
    requestId: '',
    isRepair: true,
  };
}

const IS_SETTLED = `select 1 from journal_entries where kind = 'settlement' and signature = `;

/**
 * Appends a missing settlement once, and grants its amount as credit if `isGranted`. Answers false if any node has appended it
 * before.
 */
export async function appendMissing(database: Database, entry: MissingEntry, isGranted: boolean): Promise<boolean> {
  const grant: JournalEntry = { ...entry, kind: 'grant', feeLamports: 0 };
  const entries = isGranted ? [entry, grant] : [entry];
  const guard = {
    sql: `insert into wallets (cluster, address, granted_micro_usdc) select $1, $2, $3
  where not exists (${IS_SETTLED}$4) and {in time}
  on conflict (cluster, address) do update set granted_micro_usdc = wallets.granted_micro_usdc + excluded.granted_micro_usdc
  returning id`,
    values: [entry.cluster, entry.wallet, isGranted ? entry.micros : 0, entry.transaction],
  };
  const changes = entries.map((each) => append(each, Math.floor(database.now())));
  const row = await database.write({ guard, changes, isDurable: true }).catch(async (error) => {
    // Another node was faster, and the database rejected the second settlement.
    const settled = await database.read({ sql: `${IS_SETTLED}$1`, values: [entry.transaction] });
    if (settled.length === 0) throw error;
  });
  return row !== undefined;
}
