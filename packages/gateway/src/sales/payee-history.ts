import { below, type Cluster, listAt, member, NETWORKS } from '@asset-gateway/protocol';
import { type Chain, HISTORY } from '../payments/facilitator/chain.ts';
import { looksIssued, paymentKeyOf } from '../payments/read/requirement.ts';
import { readTransaction } from '../payments/read/transaction.ts';
import { append, type Database, type JournalEntry } from '../stores/sql/database.ts';

/** A successful transaction of the payee. */
export interface Listed {
  readonly signature: string;
  /** The time of its block, in milliseconds. */
  readonly atMs: number;
  /** The first memo of the transaction. */
  readonly memo: string | undefined;
}

/** A transfer to the payee, as the chain shows it. */
export interface ChainTransfer extends Listed {
  readonly payee: Payee;
  readonly cluster: Cluster;
  /** Millionths of a dollar. */
  readonly micros: number;
  /** The owner of the source account. */
  readonly wallet: string;
  readonly feeLamports: number;
  /** Whether the gateway's own fee payer has paid the fee. */
  readonly isFeeOurs: boolean;
}

/** The payee on a cluster, and the chain to read it from. */
export interface Payee {
  readonly cluster: Cluster;
  /** The payee's token account. */
  readonly account: string;
  readonly mint: string;
  /** The gateway's own fee payer; undefined if a remote facilitator pays. */
  readonly feePayer: string | undefined;
  readonly chain: Chain;
}

const AT_ONCE = 8;

/** Successful transactions of an account since a time, newest first. */
export async function listSince({ chain, account }: Payee, sinceMs: number): Promise<Listed[]> {
  const listed: Listed[] = [];
  let before: string | undefined;
  for (;;) {
    const rows = await chain.transactionsOf(account, before);
    const young = rows.filter(({ atMs }) => atMs >= sinceMs);
    listed.push(...young.filter(({ hasFailed }) => !hasFailed).map(({ memos: [memo], ...row }) => ({ ...row, memo })));
    before = rows.at(-1)?.signature;
    if (before === undefined || young.length < rows.length || rows.length < HISTORY) return listed;
  }
}

const textsAt = (value: unknown, ...names: readonly string[]): string[] => listAt(value, ...names).map(String);

/** How much each balance of a mint has changed in a transaction, by account index. */
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

/** The transfer to the payee in a transaction; undefined if there is none. */
function transferIn(answer: unknown, listed: Listed, payee: Payee): ChainTransfer | undefined {
  const meta = member(answer, 'meta');
  const own = textsAt(answer, 'transaction', 'message', 'accountKeys');
  const loaded = ['writable', 'readonly'].flatMap((name) => textsAt(meta, 'loadedAddresses', name));
  const keys = [...own, ...loaded];
  const changes = changesIn(meta, payee.mint);
  const micros = changes.get(keys.indexOf(payee.account))?.micros ?? 0n;
  if (micros <= 0n) return undefined;
  const [source] = [...changes.values()].sort((one, other) => Number(one.micros - other.micros));
  const fee = { feeLamports: Number(member(meta, 'fee')), isFeeOurs: own[0] === payee.feePayer };
  const { cluster } = payee;
  return { ...listed, ...fee, payee, cluster, micros: Number(micros), wallet: source?.owner ?? '' };
}

/** All transfers to the payee since a time, newest first. Each costs a call of the RPC, several of which run in parallel. */
export async function transfersTo(payee: Payee, sinceMs: number): Promise<ChainTransfer[]> {
  const listed = await listSince(payee, sinceMs);
  const transfers: ChainTransfer[] = [];
  for (let first = 0; first < listed.length; first += AT_ONCE) {
    const part = listed.slice(first, first + AT_ONCE);
    const answers = await Promise.all(part.map(({ signature }) => payee.chain.transaction(signature)));
    transfers.push(...part.flatMap((each, index) => transferIn(answers[index], each, payee) ?? []));
  }
  return transfers;
}

/** The transfer to the payee in the transaction with this signature; undefined if there is none. */
export async function transferBy(payee: Payee, signature: string): Promise<ChainTransfer | undefined> {
  const answer = await payee.chain.transaction(signature);
  if (answer === null || below(answer, 'meta', 'err') !== null) return undefined;
  const atMs = Number(member(answer, 'blockTime')) * 1_000;
  return transferIn(answer, { signature, atMs, memo: undefined }, payee);
}

/** Whether a transfer is a sale: its memo must have been issued by a gateway. */
export const isSale = ({ memo }: ChainTransfer): boolean => memo !== undefined && looksIssued(memo);

/** The settlement of a transfer without an entry. Its request is unknown. */
type MissingEntry = JournalEntry & { readonly key: string };

/** The entry that a transfer should have. */
export async function missingEntry(transfer: ChainTransfer): Promise<MissingEntry> {
  const { payee, cluster, signature, wallet, micros, feeLamports, isFeeOurs } = transfer;
  const bytes = await payee.chain.transactionBytes(signature);
  const message = bytes && readTransaction(bytes)?.message;
  const network = NETWORKS[cluster];
  return {
    kind: 'settlement',
    key: message ? paymentKeyOf(network, message) : `${network}:${signature}`,
    cluster,
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
  const changes = entries.map((each) => append(each, database.wallAt(database.now())));
  const row = await database.write({ guard, changes, isDurable: true }).catch(async (error) => {
    // Another node was faster, and the database rejected the second settlement.
    const settled = await database.read({ sql: `${IS_SETTLED}$1`, values: [entry.transaction] });
    if (settled.length === 0) throw error;
  });
  return row !== undefined;
}
