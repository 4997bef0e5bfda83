import { randomBytes } from 'node:crypto';
import type { Statement } from './database.ts';

/** What an entry of the journal is about. A refusal moves no money, but may have cost its fee. */
export type JournalKind = 'settlement' | 'refusal' | 'grant' | 'debit';

/** One movement of money. It is appended in the step that makes it, and never changed. */
export interface JournalEntry {
  readonly kind: JournalKind;
  /** `mainnet` or `devnet`. */
  readonly cluster: string;
  readonly wallet: string;
  /** Millionths of a dollar. */
  readonly micros: number;
  /** What the gateway's own fee payer has paid for it; 0 if nothing was sent, or a remote facilitator pays. */
  readonly feeLamports: number;
  /** base58 signature of its transaction, of a refused one too; empty if it is not known. */
  readonly transaction: string;
  /** The route that was asked for; empty if it is not known. */
  readonly route: string;
  readonly requestId: string;
  /** The payment's key; absent for a debit by signature. There is one entry of a kind for each. */
  readonly key?: string;
  /** Written afterwards, from what the chain shows. */
  readonly isRepair?: true;
}

/** How long entries are kept by default, in milliseconds. */
export const JOURNAL_KEEP_MS = 400 * 86_400_000;

const COLUMNS =
  'at, kind, cluster, wallet_id, route, micro_usdc, fee_lamports, signature, request_id, node, key, is_repair';

/** Names this process. */
const NODE = randomBytes(4).toString('hex');

/** Appends an entry to a step whose guard names the wallet as `id`. */
export const append = (entry: JournalEntry, nowMs: number): Statement => ({
  sql: `insert into journal_entries (${COLUMNS}) select $1, $2, $3, {guard.id}, $4, $5, $6, $7, $8, $9, $10, $11 where {guarded}`,
  values: [
    new Date(nowMs).toISOString(),
    entry.kind,
    entry.cluster,
    entry.route,
    entry.micros,
    entry.feeLamports,
    entry.transaction === '' ? null : entry.transaction,
    entry.requestId,
    NODE,
    entry.key ?? null,
    entry.isRepair ? 1 : 0,
  ],
});

/** What a step has written, for metrics and for requests that wait for a change of a wallet. */
export interface Written {
  readonly network: string;
  readonly wallet: string;
  readonly entries: readonly JournalEntry[];
}

export type OnWritten = (written: Written) => void;
