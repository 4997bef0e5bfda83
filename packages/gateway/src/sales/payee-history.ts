import { below, type Cluster, INSTRUCTIONS, listAt, member, NETWORKS, PROGRAMS } from '@asset-gateway/protocol';
import bs58 from 'bs58';
import { type Chain, HISTORY, type HistoryRow } from '../payments/facilitator/chain.ts';
import { paymentKeyOf } from '../payments/read/requirement.ts';
import { readTransaction } from '../payments/read/transaction.ts';
import { append, type Database, isDuplicate, type JournalEntry } from '../stores/sql/database.ts';

/** A transfer to the payee, as the chain shows it. */
export interface ChainTransfer {
  readonly signature: string;
  /** The time of its block in milliseconds; 0 if unknown. */
  readonly atMs: number;
  /** The first memo of the transaction, if its history was read. */
  readonly memo: string | undefined;
  readonly payee: Payee;
  /** The amount in millionths of a dollar. */
  readonly micros: number;
  /**
   * The wallet that signed the transfer: the transfer's authority, as the gateway reads it, or else the owner of the
   * source account.
   */
  readonly wallet: string;
  readonly feeLamports: number;
  /** Whether the gateway's own fee payer has paid the fee. */
  readonly isFeeOurs: boolean;
}

/** The payee on a cluster, and the chain from which its transfers are read. */
export interface Payee {
  readonly cluster: Cluster;
  readonly payTo: string;
  /** The payee's token account. */
  readonly account: string;
  readonly mint: string;
  /** The gateway's own fee payer; undefined if a remote facilitator pays. */
  readonly feePayer: string | undefined;
  readonly chain: Chain;
}

const AT_ONCE = 8;

/**
 * Returns the transactions of the payee's account in pages, newest first. `minChainSlot`: a node that has not reached this slot reports an
 * error.
 */
export async function* historyOf(
  { chain, account }: Payee,
  minChainSlot?: number,
): AsyncGenerator<readonly HistoryRow[]> {
  let before: string | undefined;
  do {
    const rows = await chain.transactionsOf(account, { before, minChainSlot });
    yield rows;
    before = rows.length < HISTORY ? undefined : rows.at(-1)?.signature;
  } while (before !== undefined);
}

const textsAt = (value: unknown, ...names: readonly string[]): string[] => listAt(value, ...names).map(String);

/** Returns how much each balance of a mint has changed in a transaction, by account index. */
function changesIn(meta: unknown, mint: string): Map<number, { readonly owner: string; readonly micros: bigint }> {
  const changes = new Map<number, { owner: string; micros: bigint }>();
  for (const [name, sign] of [['preTokenBalances', -1n] as const, ['postTokenBalances', 1n] as const]) {
    for (const balance of listAt(meta, name)) {
      if (member(balance, 'mint') !== mint) continue;
      const index = Number(member(balance, 'accountIndex'));
      const amount = BigInt(String(below(balance, 'uiTokenAmount', 'amount') ?? 0));
      const before = changes.get(index)?.micros ?? 0n;
      changes.set(index, { owner: String(member(balance, 'owner') ?? ''), micros: before + sign * amount });
    }
  }
  return changes;
}

/** Returns the authority of the single TransferChecked instruction to an account. */
function authorityIn(answer: unknown, keys: readonly string[], account: string): string | undefined {
  const [only, ...others] = listAt(answer, 'transaction', 'message', 'instructions').flatMap((instruction) => {
    const [, , destination, authority = ''] = listAt(instruction, 'accounts').map((index) => keys[Number(index)]);
    const isOfToken = keys[Number(member(instruction, 'programIdIndex'))] === PROGRAMS.token;
    const [kind] = bs58.decodeUnsafe(String(member(instruction, 'data'))) ?? [];
    return isOfToken && kind === INSTRUCTIONS.transferChecked && destination === account ? [authority] : [];
  });
  return others.length === 0 ? only : undefined;
}

/** Returns the transfer to the payee in the transaction with this signature; undefined if there is none. `row`: its row in the history. */
export async function transferBy(
  payee: Payee,
  signature: string,
  row?: HistoryRow,
): Promise<ChainTransfer | undefined> {
  const { account, chain, feePayer, mint } = payee;
  const answer = await chain.transaction(signature);
  const meta = member(answer, 'meta');
  if (answer === null || member(meta, 'err') !== null) return undefined;
  const own = textsAt(answer, 'transaction', 'message', 'accountKeys');
  const loaded = ['writable', 'readonly'].flatMap((name) => textsAt(meta, 'loadedAddresses', name));
  const keys = [...own, ...loaded];
  const changes = changesIn(meta, mint);
  const micros = Number(changes.get(keys.indexOf(account))?.micros ?? 0n);
  if (micros <= 0) return undefined;
  const [source] = [...changes.values()].sort((one, other) => Number(one.micros - other.micros));
  const wallet = authorityIn(answer, keys, account) ?? source?.owner ?? '';
  const fee = { feeLamports: Number(member(meta, 'fee')), isFeeOurs: own[0] === feePayer };
  const atMs = row?.atMs ?? Number(member(answer, 'blockTime') ?? 0) * 1_000;
  return { signature, atMs, memo: row?.memos[0], payee, micros, wallet, ...fee };
}

/**
 * Returns all transfers to the payee since a time, newest first. Each costs one RPC call; several calls run in parallel. `p-limit` would
 * make all calls even if one fails.
 */
export async function transfersTo(payee: Payee, sinceMs: number): Promise<ChainTransfer[]> {
  const transfers: ChainTransfer[] = [];
  for await (const page of historyOf(payee)) {
    const young = page.filter(({ atMs }) => atMs === 0 || atMs >= sinceMs);
    const succeeded = young.filter(({ hasFailed }) => !hasFailed);
    for (let first = 0; first < succeeded.length; first += AT_ONCE) {
      const part = succeeded.slice(first, first + AT_ONCE);
      const found = await Promise.all(part.map((row) => transferBy(payee, row.signature, row)));
      transfers.push(...found.filter((transfer) => transfer !== undefined));
    }
    if (young.length < page.length) break;
  }
  return transfers;
}

/** Returns the key of the payment with this signature; undefined if the gateway would not accept its transaction. */
export async function paymentKeyBy({ chain, cluster }: Payee, signature: string): Promise<string | undefined> {
  const bytes = await chain.transactionBytes(signature);
  const message = bytes && readTransaction(bytes)?.message;
  return message && paymentKeyOf(NETWORKS[cluster], message);
}

/** The settlement entry that is missing for a transfer. */
export type MissingEntry = JournalEntry & { readonly key: string };

/** Makes the settlement entry of a transfer that has none. Its request is unknown. */
export async function missingEntry(transfer: ChainTransfer): Promise<MissingEntry> {
  const { payee, signature, wallet, micros, feeLamports, isFeeOurs } = transfer;
  return {
    kind: 'settlement',
    key: (await paymentKeyBy(payee, signature)) ?? `${NETWORKS[payee.cluster]}:${signature}`,
    cluster: payee.cluster,
    wallet,
    micros,
    feeLamports: isFeeOurs ? feeLamports : 0,
    transaction: signature,
    route: '',
    requestId: '',
    isRepair: true,
  };
}

/** How far an entry's time may differ from its transfer's, in milliseconds. Different clocks date them at different moments. */
export const ENTRY_SKEW_MS = 3_600_000;

const IS_SETTLED = `select 1 from journal_entries where kind = 'settlement' and signature = `;
const APPEND = `insert into wallets (cluster, address, granted_micro_usdc) select $1, $2, $3
  where not exists (${IS_SETTLED}$4)
  and not exists (select 1 from payments where key = $5 and state in ('reserved', 'settling', 'unresolved')
    and search_ended_ms is null)
  and not exists (select 1 from books where complete_since > $6) and {in time}
  on conflict (cluster, address) do update set granted_micro_usdc = wallets.granted_micro_usdc + excluded.granted_micro_usdc
  returning id`;
const ALWAYS = '9999-12-31T00:00:00.000Z';

/**
 * Whether an entry was appended. `present`: the journal already has it. `barred`: its payment is in progress, or its
 * block is older than the complete part of the journal.
 */
type AppendVerdict = 'appended' | 'present' | 'barred';

/** Appends a missing settlement once, and grants credit for it. `atMs`: the time of its block; undefined if its age does not matter. */
export async function appendMissing(
  database: Database,
  entry: MissingEntry,
  creditMicros: number,
  atMs?: number,
): Promise<AppendVerdict> {
  const grant: JournalEntry = { ...entry, kind: 'grant', micros: creditMicros, feeLamports: 0 };
  const entries = creditMicros > 0 ? [entry, grant] : [entry];
  const since = atMs === undefined ? ALWAYS : new Date(Math.max(0, atMs - ENTRY_SKEW_MS)).toISOString();
  const values = [entry.cluster, entry.wallet, creditMicros, entry.transaction, entry.key, since];
  const changes = entries.map((each) => append(each, database.wallAt(database.now())));
  const row = await database.write({ condition: { sql: APPEND, values }, changes, isDurable: true }).catch((error) => {
    // Another node has appended the entry first.
    if (!isDuplicate(error)) throw error;
  });
  if (row) return 'appended';
  const settled = await database.read({ sql: `${IS_SETTLED}$1`, values: [entry.transaction] });
  return settled.length > 0 ? 'present' : 'barred';
}
