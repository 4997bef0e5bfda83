import { type Cluster, clusterOfNetwork, NETWORKS } from '@asset-gateway/protocol';
import { owedDebits } from '../credit/rows.ts';
import { LIMITS } from '../limits.ts';
import {
  bringsCredit,
  IS_SEARCHED,
  IS_UNFINISHED,
  isDue,
  THE_WALLET,
  unchargedCalls,
} from '../stores/sql/conditions.ts';
import { membersIn, namesIn, only, type SqlRow, type SqlValue, type Statement, text } from '../stores/sql/database.ts';
import { TIMES } from '../times.ts';
import type { NewPayment, PayerState, PaymentRecord } from './record.ts';

/** What identifies the payment whose state is read. */
export type Subject = Pick<NewPayment, 'key' | 'network' | 'payer' | 'requestHash'>;

/** The state of a payment as it was read, with the wallet's version, which the next step must find unchanged. */
export interface StoredState extends PayerState {
  /** The wallet's row; undefined if it has none yet. */
  readonly wallet: { readonly id: number; readonly version: string } | undefined;
  /** How many upstream calls under earlier reservations of this payment have rows of their own. */
  readonly storedCalls: number;
  /** The wallet's mainnet payments, even if this payment is on devnet. */
  readonly paidOnMainnet: PayerState['paid'];
  /** The id of a debit for the same request whose answer is owed. */
  readonly owedDebit: string | undefined;
  /** How many lamports the fee payer has spent within the hour, counted by the minute: for all payers and for new payers. */
  readonly fees: { readonly all: number; readonly ofNewPayers: number };
}

type Columns = Readonly<Record<string, keyof PaymentRecord>>;

/** The columns that are written once, with the record's member that each holds. */
export const LASTING = {
  key: 'key',
  request_hash: 'requestHash',
  source: 'source',
  memo: 'memo',
  price_usd: 'priceUsd',
  credit_micro_usdc: 'creditMicros',
  transaction_base64: 'transaction',
  route: 'route',
  request_id: 'requestId',
  resource_url: 'resourceUrl',
  fee_lamports: 'feeLamports',
} as const satisfies Columns;

/** The columns that steps change, with the record's member that each holds. */
export const CHANGING = {
  owner: 'owner',
  state: 'progress',
  signature: 'signature',
  height: 'height',
  reason: 'reason',
  settling_since_ms: 'settlingSinceMs',
  resolved_at_ms: 'resolvedAtMs',
  forget_at_ms: 'forgetAtMs',
  search_from_ms: 'searchFromMs',
  search_ended_ms: 'searchEndedMs',
} as const satisfies Columns;

const MEMBERS = { ...LASTING, ...CHANGING, leased_until_ms: 'leasedUntilMs', calls: 'calls' };
const RECORD = `w.cluster, w.address, p.failed_on_chain, p.owed_until_ms, p.requirement, ${namesIn('p', MEMBERS)}`;

/** SQL condition: the payment counts as in flight. If its process died, it counts for the longest time that a reservation can last. */
const IN_FLIGHT = `leased_until_ms > cast($5 as bigint) - ${TIMES.inFlightMs - TIMES.leaseMs}`;

/**
 * SQL for the wallet's payments between reservation and outcome: their number, their upstream calls of the last minute, and the key of the
 * one that buys credit.
 */
const UNFINISHED = `select count(case when key <> $3 and ${IN_FLIGHT} then 1 end) as in_flight,
  cast(sum(case when ${IN_FLIGHT} or settling_since_ms > $5 - ${TIMES.failuresMs} then calls end) as bigint) as calls,
  min(case when key <> $3 and ${bringsCredit('$5')} then key end) as purchase_key
  from payments where wallet_id = ${THE_WALLET} and ${IS_UNFINISHED}`;

/**
 * SQL for the time since which the wallet may buy nothing. It is when the oldest of those failures on the chain was found that together
 * close the wallet; null if too few lie within the hour.
 */
const CLOSED_SINCE = `(select resolved_at_ms from payments where wallet_id = ${THE_WALLET} and failed_on_chain = 1 and fee_lamports > 0
  and resolved_at_ms > cast($5 as bigint) - ${TIMES.feeMs} order by resolved_at_ms desc limit 1 offset ${LIMITS.failedOnChain - 1})`;

/** Reads everything that decides about one payment. Returns a row for each payment found, or one row without a payment. */
const LOOK = `with unfinished as (${UNFINISHED}) select w.id as wallet_id, w.version, w.paid, m.paid as paid_on_mainnet,
  spent.lamports as fees, spent.of_new_payers as fees_of_new_payers,
  unfinished.in_flight, unfinished.calls as unfinished_calls, unfinished.purchase_key,
  ${unchargedCalls('w.id', '$5')} as uncharged_calls,
  (select cast(sum(calls) as bigint) from uncharged_calls where payment_key = $3 and at_ms > $5 - ${TIMES.answerMs}) as stored_calls,
  (select count(*) from debits where id = $3) as covers, (select min(id) ${owedDebits('w.id')} and id <> $3) as owed_debit,
  w.granted_micro_usdc - w.spent_micro_usdc as balance, ${CLOSED_SINCE} as closed_since,
  ${RECORD}
  from (select cast(sum(lamports) as bigint) as lamports, cast(sum(of_new_payers) as bigint) as of_new_payers
    from fees where fee_payer = $6 and until_ms > $5) as spent
  cross join unfinished
  left join wallets w on w.cluster = $1 and w.address = $2
  left join wallets m on m.cluster = 'mainnet' and m.address = $2
  left join payments p on p.key in (select $3 union
    select key from payments where wallet_id = ${THE_WALLET} and request_hash = $4 and ${isDue('$5')})`;

export const lookAtPayment = (
  { key, network, payer, requestHash }: Subject,
  nowMs: number,
  feePayer?: string,
): Statement => ({
  sql: LOOK,
  values: [clusterOfNetwork(network), payer, key, requestHash, nowMs, feePayer ?? null],
});

const WITH_WALLET = `select ${RECORD} from payments p join wallets w on w.id = p.wallet_id`;

export const findByKey = (key: string): Statement => ({ sql: `${WITH_WALLET} where p.key = $1`, values: [key] });

/** Returns the query for open payments. `dueMs`: includes only payments whose look-up is due by then. */
export const findOpen = (nowMs: number, dueMs: number, limit: number): Statement => ({
  sql: `${WITH_WALLET} where ${IS_SEARCHED} and (state = 'unresolved' or leased_until_ms <= $1)
  and coalesce(search_from_ms, 0) <= $2 order by coalesce(search_from_ms, 0) limit $3`,
  values: [nowMs, dueMs, limit],
});

/** Returns the record in a row, with the wallet that pays. */
export const recordOfRow = (row: SqlRow): PaymentRecord =>
  ({
    ...membersIn(row, MEMBERS),
    requirement: JSON.parse(text(row.requirement)),
    network: NETWORKS[row.cluster as Cluster],
    payer: text(row.address),
    hasFailedOnChain: Number(row.failed_on_chain) === 1,
    ...(row.resolved_at_ms !== null && { owed: row.owed_until_ms !== null }),
  }) as PaymentRecord;

/** Reads the column of the payments that make a known payer. */
export const paidOf = (json: SqlValue | undefined): PayerState['paid'] => (json ? JSON.parse(String(json)) : []);

/** Returns the state that the rows of `lookAtPayment` contain. */
export function stateOf(rows: readonly SqlRow[], key: string): StoredState {
  const row = only(rows);
  const resolvedAtMs = (each: SqlRow) => Number(each.resolved_at_ms ?? Number.MAX_SAFE_INTEGER);
  let found: SqlRow | undefined;
  const due: SqlRow[] = [];
  for (const each of rows) {
    if (each.key === key) found = each;
    else if (each.key !== null) due.push(each);
  }
  due.sort((one, other) => resolvedAtMs(one) - resolvedAtMs(other));
  return {
    wallet: row.wallet_id === null ? undefined : { id: Number(row.wallet_id), version: text(row.version) },
    record: found && recordOfRow(found),
    // An earlier version wrote 0 for the first call, because it counted that call in the row of the wallet.
    calls: found ? Math.max(Number(found.calls), 1) : Number(row.stored_calls),
    inFlight: Number(row.in_flight),
    recentCalls: Number(row.unfinished_calls) + Number(row.uncharged_calls),
    paid: paidOf(row.paid),
    storedCalls: Number(row.stored_calls),
    due: due.map(({ key, owed_until_ms: untilMs }) => ({
      key: text(key),
      ...(untilMs && { untilMs: Number(untilMs) }),
    })),
    paidOnMainnet: paidOf(row.paid_on_mainnet),
    balanceMicros: Number(row.balance),
    purchaseKey: row.purchase_key === null ? undefined : text(row.purchase_key),
    isCovered: Number(row.covers) > 0,
    owedDebit: row.owed_debit === null ? undefined : text(row.owed_debit),
    fees: { all: Number(row.fees), ofNewPayers: Number(row.fees_of_new_payers) },
    closedUntilMs: row.closed_since === null ? 0 : Number(row.closed_since) + TIMES.feeMs,
  };
}
