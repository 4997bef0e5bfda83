import { randomBytes } from 'node:crypto';
import type { Statement } from './database.ts';

/** The kind of a journal entry. A refusal moves no money, but may have cost a fee. */
export type JournalKind = 'settlement' | 'refusal' | 'grant' | 'debit';

/** A movement of money. It is appended in the same step and never changed. */
export interface JournalEntry {
  readonly kind: JournalKind;
  /** `mainnet` or `devnet`. */
  readonly cluster: string;
  readonly wallet: string;
  /** Millionths of a dollar. */
  readonly micros: number;
  /** The fee of the gateway's own fee payer; 0 if nothing was sent or a remote facilitator pays. */
  readonly feeLamports: number;
  /** base58 signature of its transaction, even of a refused one; empty if unknown. */
  readonly transaction: string;
  /** The route id; empty if unknown. */
  readonly route: string;
  readonly requestId: string;
  /** The key of the payment; absent for a debit by signature. Unique for each kind. */
  readonly key?: string;
  /** Appended later by `sales verify --repair` or the watch, from the chain. */
  readonly isRepair?: true;
}

/** How long entries are stored by default, in milliseconds. */
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

/** A step that was written, for metrics and for requests that wait for their wallet. */
export interface Written {
  readonly network: string;
  readonly wallet: string;
  readonly entries: readonly JournalEntry[];
}

export type OnWritten = (written: Written) => void;

const KEEP = `insert into answers (key, until_ms, bytes, answer) select $1, $2, $3, $4 where {guarded} on conflict (key) do update
  set until_ms = excluded.until_ms, bytes = excluded.bytes, answer = excluded.answer`;

/** An answer and its expiry; null while its payment is open. */
export interface StoredAnswer {
  /** The key of its payment or debit. */
  readonly key: string;
  /** JSON. */
  readonly answer: string;
  readonly untilMs: number | null;
}

const valuesOf = ({ key, answer, untilMs }: StoredAnswer) => [key, untilMs, Buffer.byteLength(answer), answer];

/** Stores an answer in the step that charges for it. */
export const keepAnswer = (stored: StoredAnswer): Statement => ({ sql: KEEP, values: valuesOf(stored) });

/** Stores an answer that was fetched again. */
export const keepAgain = (stored: StoredAnswer): Statement => ({
  sql: `${KEEP.replace('{guarded}', '{in time}')} returning key`,
  values: valuesOf(stored),
});

/** Sets the expiry of an answer. */
export const endAnswer = (key: string, untilMs: number): Statement => ({
  sql: 'update answers set until_ms = $2 where key = $1 and {guarded}',
  values: [key, untilMs],
});

export const findAnswer = (key: string, nowMs: number): Statement => ({
  sql: 'select answer from answers where key = $1 and (until_ms is null or until_ms > $2)',
  values: [key, nowMs],
});

export const dropAnswer = (key: string): Statement => ({
  sql: 'delete from answers where key = $1 and {guarded}',
  values: [key],
});
