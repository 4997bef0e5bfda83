import { randomUUID } from 'node:crypto';
import { type Cluster, clusterOfNetwork, NETWORKS } from '@asset-gateway/protocol';
import { LIMITS } from '../limits.ts';
import {
  bringsCredit,
  deleteCalls,
  INSERT_CALLS,
  isDue,
  isLapsedPayment,
  noteCall,
  THE_WALLET,
  unchargedCalls,
} from '../stores/sql/conditions.ts';
import {
  type AtomicWrite,
  insertion,
  membersIn,
  namesIn,
  type SqlRow,
  type SqlValue,
  type Statement,
  text,
  valuesIn,
} from '../stores/sql/database.ts';
import { TIMES } from '../times.ts';
import { type Account, type AccountHolder, type Debit, NEW_ACCOUNT, type NewDebit } from './account.ts';

const accountAt = (now: string) => `w.granted_micro_usdc, w.spent_micro_usdc, w.held_micro_usdc, w.holds,
  ${unchargedCalls('w.id', now)} as uncharged, b.key as purchase_key, b.credit_micro_usdc as purchase_micro_usdc`;
/** SQL that joins the wallet's payment that is buying credit now. */
const buying = (now: string) => `left join (select wallet_id, key, credit_micro_usdc from payments
  where ${bringsCredit(now)}) as b on b.wallet_id = w.id`;
/** The columns of a debit, with the member that each holds. */
const COLUMNS = {
  id: 'id',
  micro_usdc: 'micros',
  paid_by: 'by',
  route: 'route',
  request_hash: 'requestHash',
  request_id: 'requestId',
  owner: 'owner',
  memo: 'memo',
  resource_url: 'resourceUrl',
  state: 'progress',
  until_ms: 'untilMs',
  captured_at_ms: 'capturedAtMs',
  calls_again: 'callsAgain',
} as const satisfies Readonly<Record<string, keyof Debit>>;
const INSERT_DEBIT = insertion('debits', Object.keys(COLUMNS));
const DEBIT = `w.cluster, w.address, d.owed_until_ms, ${namesIn('d', COLUMNS)}`;

/** Returns the account in a row. */
export function accountOf(row: SqlRow | undefined): Account {
  if (!row || row.granted_micro_usdc === null) return NEW_ACCOUNT;
  const { purchase_key: key, purchase_micro_usdc: micros } = row;
  return {
    grantedMicros: Number(row.granted_micro_usdc),
    spentMicros: Number(row.spent_micro_usdc),
    heldMicros: Number(row.held_micro_usdc),
    holds: Number(row.holds),
    uncharged: Number(row.uncharged),
    ...(key && { purchase: { key: text(key), micros: Number(micros) } }),
  };
}

/** Returns the debit in a row; undefined if there is none, or if its hold has lapsed. */
export function debitOf(row: SqlRow, nowMs: number): Debit | undefined {
  if (row.id === null || (row.state === 'held' && Number(row.until_ms) <= nowMs)) return undefined;
  const holder = { network: NETWORKS[row.cluster as Cluster], wallet: text(row.address) };
  return { ...membersIn(row, COLUMNS), ...holder } as Debit;
}

const holderValues = ({ network, wallet }: AccountHolder): SqlValue[] => [clusterOfNetwork(network), wallet];

export const findAccount = (holder: AccountHolder, nowMs: number): Statement => ({
  sql: `select ${accountAt('$3')} from wallets w ${buying('$3')} where w.cluster = $1 and w.address = $2`,
  values: [...holderValues(holder), nowMs],
});

export const findDebit = (id: string): Statement => ({
  sql: `select ${DEBIT} from debits d join wallets w on w.id = d.wallet_id where d.id = $1`,
  values: [id],
});

/**
 * SQL condition: the debit is held, or its answer is owed. `request_hash >= ''` is always true; it makes SQLite choose the partial index
 * of these rows.
 */
const IS_HELD_OR_OWED = `(state = 'held' or owed_until_ms is not null) and request_hash >= ''`;
const IS_OWED = 'request_hash = $4 and owed_until_ms > $5';
/** SQL for the debits of a wallet whose answer to a request is owed. */
export const owedDebits = (wallet: string) =>
  `from debits where wallet_id = ${wallet} and ${IS_HELD_OR_OWED} and ${IS_OWED}`;
const IS_LAPSED = `state = 'held' and until_ms <= $5`;
/** SQL for the payments of a wallet for a request that are open, or whose answer is owed. */
const duePayments = (wallet: string) =>
  `from payments where wallet_id = ${wallet} and request_hash = $4 and ${isDue('$5')}`;
/** SQL for the calls of a debit and of its payment that may have had an effect. */
const OWN_CALLS = 'from uncharged_calls where payment_key = $3';

/**
 * SQL for everything that decides whether a price can be held: the account, this debit, a debit that is owed for the request, and lapsed
 * holds.
 */
const LOOK = `select ${accountAt('$5')}, ${DEBIT}, (select count(*) ${duePayments('w.id')}) as due_payments,
  (select case when ${isLapsedPayment('$5')} then 'lapsed' else 'bought' end from payments
    where key = $3 and state <> 'refused') as own_payment, (select count(*) ${OWN_CALLS}) as own_calls
  from (select 1 as one) as always left join wallets w on w.cluster = $1 and w.address = $2 ${buying('$5')}
  left join debits d on d.id in (select $3 union
    select id from debits where wallet_id = ${THE_WALLET} and ${IS_HELD_OR_OWED} and ((${IS_OWED}) or (${IS_LAPSED})))`;

export const lookAtDebit = (debit: NewDebit, nowMs: number): Statement => ({
  sql: LOOK,
  values: [...holderValues(debit), debit.id, debit.requestHash, nowMs],
});

export interface HoldOptions {
  /** How long the hold lasts, in milliseconds (`holdMsFor`). */
  readonly holdMs?: number;
  /** Whether to hold the price although a payment or debit for the same request is owed or open. */
  readonly isPastOwed?: boolean;
}

/**
 * Returns the write that holds the price of a call. It writes nothing if `holdRefusal` gives a reason, or if the request was paid for
 * before. A call that may have an effect is noted before it is made. Such a call is not repeated, because a failure does not tell whether
 * it had its effect.
 */
export function hold(debit: NewDebit, nowMs: number, options: HoldOptions): AtomicWrite {
  const { holdMs = TIMES.leastHoldMs, isPastOwed = false } = options;
  const { id, by, micros, requestHash, mayHaveEffect = false } = debit;
  // Another request may have read this payment and could reserve it for a second call. The wallet's new version stops that request.
  const version = mayHaveEffect && by === 'payment' ? [randomUUID()] : [];
  const condition = {
    sql: `update wallets set held_micro_usdc = held_micro_usdc + $6, holds = holds + 1${version.map(() => ', version = $9')}
  where cluster = $1 and address = $2 and granted_micro_usdc - spent_micro_usdc - held_micro_usdc >= $6
  and holds < ${LIMITS.holdsPerWallet} and ${unchargedCalls('wallets.id', '$5')} < ${LIMITS.unchargedCalls}
  and not exists (select 1 from debits where id = $3)
  and not exists (select 1 from payments where key = $3 and state <> 'refused')
  and ($7 = 1 or (not exists (select 1 ${owedDebits('wallets.id')})
    and not exists (select 1 ${duePayments('wallets.id')})))
  and ($8 = 0 or not exists (select 1 ${OWN_CALLS})) and {in time} returning id`,
    values: [
      ...[...holderValues(debit), id, requestHash, nowMs, micros],
      ...[Number(isPastOwed), Number(mayHaveEffect), ...version],
    ],
  };
  // Clear `capturedAtMs`, or retention would delete a renewed hold.
  const times = { untilMs: nowMs + holdMs, capturedAtMs: undefined };
  const held = { ...debit, ...times, progress: 'held', callsAgain: 0 };
  const calls = mayHaveEffect ? [noteCall(id, nowMs)] : [];
  return { condition, changes: [INSERT_DEBIT(valuesIn(held, COLUMNS)), ...calls] };
}

/** Returns the query that counts the calls with an effect for a payment or signature: those of its debit and those of its reservation. */
export const countCalls = (key: string): Statement => ({
  sql: `select (select count(*) from uncharged_calls where payment_key = $1)
  + (select count(*) from payments where key = $1 and state <> 'refused') as calls`,
  values: [key],
});

/** Returns the statement that ends the hold of the condition's debit and charges an amount, in millionths of a dollar. */
const unhold = (micros: number, charged: number): Statement => ({
  sql: `update wallets set held_micro_usdc = held_micro_usdc - $1, holds = holds - 1, spent_micro_usdc = spent_micro_usdc + $2
  where id = {condition.id} and {condition holds} returning granted_micro_usdc - spent_micro_usdc as balance`,
  values: [micros, charged],
});

/**
 * Returns the write that charges the held price. It charges nothing if the covered payment itself was reserved meanwhile and may settle.
 * `others`: further changes of the same write.
 */
export function capture(debit: NewDebit, nowMs: number, others: readonly Statement[]): AtomicWrite {
  const { id, owner, micros, memo, mayHaveEffect } = debit;
  const condition = {
    sql: `update debits set state = 'captured', captured_at_ms = $3, owed_until_ms = $4, watch_from_ms = $5
  where id = $1 and owner = $2 and state = 'held' and until_ms > $3
  and not exists (select 1 from payments where key = $1 and state <> 'refused') and {in time} returning wallet_id as id`,
    values: [id, owner, nowMs, nowMs + TIMES.answerMs, memo === undefined ? null : nowMs],
  };
  const calls = mayHaveEffect ? [deleteCalls(id)] : [];
  return { condition, changes: [unhold(micros, micros), ...calls, ...others], isDurable: true };
}

const releaseIf = (
  condition: string,
  values: readonly SqlValue[],
  micros: number,
  calls: readonly Statement[] = [],
): AtomicWrite => ({
  condition: {
    sql: `delete from debits where id = $1 and ${condition} and state = 'held' and {in time} returning wallet_id as id`,
    values,
  },
  changes: [unhold(micros, 0), ...calls],
});

/**
 * Returns the write that releases the price that this owner holds. `calledAtMs`: when the uncharged upstream call ended; undefined if there
 * was none.
 */
export function release({ id, owner, micros, mayHaveEffect }: NewDebit, calledAtMs?: number): AtomicWrite {
  const calls: Statement[] = [];
  if (mayHaveEffect && calledAtMs === undefined) calls.push(deleteCalls(id));
  if (!mayHaveEffect && calledAtMs !== undefined) calls.push(INSERT_CALLS([null, 1, calledAtMs]));
  return releaseIf('owner = $2', [id, owner], micros, calls);
}

export const LAPSED_AT_ONCE = 100;

export const findLapsed = (nowMs: number): Statement => ({
  sql: `select id, micro_usdc from debits where state = 'held' and until_ms <= $1 order by until_ms limit $2`,
  values: [nowMs, LAPSED_AT_ONCE],
});

/** Returns the write that releases a lapsed hold. */
export const releaseLapsed = ({ id = null, micro_usdc: micros }: SqlRow, nowMs: number): AtomicWrite =>
  releaseIf('until_ms <= $2', [id, nowMs], Number(micros));

/**
 * Returns the query for a wallet's latest grants and debits. Each has the route of its debit, or of the payment that granted it; a grant
 * also has its transaction.
 */
export const findMovements = (holder: AccountHolder): Statement => ({
  sql: `select kind, cluster, micro_usdc as micros, at, route, signature as "transaction" from journal_entries
  where wallet_id = ${THE_WALLET} and kind in ('grant', 'debit') order by id desc limit ${LIMITS.movements}`,
  values: holderValues(holder),
});

/** The query for the unspent credit of all wallets, by cluster. */
export const SUM_UNSPENT: Statement = {
  sql: `select cluster, cast(sum(granted_micro_usdc - spent_micro_usdc) as bigint) as unspent from wallets
  where granted_micro_usdc > 0 group by cluster`,
};
