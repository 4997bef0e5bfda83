import { randomUUID } from 'node:crypto';
import { TIMES } from '../../times.ts';
import { type AtomicWrite, insertion, type Statement } from './database.ts';

// SQL that payments and credit share. `wallet` and `now`: a parameter such as $5, or a column.

/**
 * SQL for the id of a wallet. It is a subquery, because PostgreSQL would scan the whole table if the list of ids depended on the outer row.
 */
export const THE_WALLET = '(select id from wallets where cluster = $1 and address = $2)';

/** SQL condition: the outcome of a payment is not known yet. */
export const IS_UNFINISHED = `state in ('reserved', 'settling', 'unresolved')`;

/** SQL condition: a payment is unfinished and buys credit that its wallet's calls wait for. */
export const bringsCredit = (now: string) =>
  `${IS_UNFINISHED} and credit_micro_usdc > 0 and (leased_until_ms > ${now} or settling_since_ms > ${now} - ${TIMES.blockhashMs})`;

/** SQL condition: the outcome of a payment is unknown, and the gateway still looks it up. */
export const IS_SEARCHED = `state in ('settling', 'unresolved') and search_ended_ms is null`;

/**
 * SQL condition: a payment is open, or its answer is owed. The first term matches an index. Without it, the database would read all
 * payments of the wallet.
 */
export const isDue = (now: string) => `(state in ('settling', 'unresolved') or owed_until_ms is not null)
  and ((${IS_SEARCHED}) or owed_until_ms > ${now})`;

/**
 * SQL for the number of a wallet's upstream calls in the last minute that nothing has paid for. A call that may have an effect is recorded
 * before it is made. Calls whose price is still held do not count, because `LIMITS.holdsPerWallet` limits those.
 */
export const unchargedCalls = (wallet: string, now: string) => `(select cast(coalesce(sum(calls), 0) as bigint)
  from uncharged_calls u where wallet_id = ${wallet} and at_ms > cast(${now} as bigint) - ${TIMES.failuresMs}
  and not exists (select 1 from debits where id = u.payment_key and state = 'held'))`;

/** The insertion of upstream calls that nothing has paid for. */
export const INSERT_CALLS = insertion('uncharged_calls', ['payment_key', 'calls', 'at_ms']);

/** Returns the statement that records a call that may have an effect, before it is made. */
export const noteCall = (key: string, nowMs: number) => INSERT_CALLS([key, 1, nowMs]);

/** Returns the statement that deletes the uncharged calls of a payment or debit. */
export const deleteCalls = (key: string): Statement => ({
  sql: 'delete from uncharged_calls where payment_key = $1 and {condition holds}',
  values: [key],
});

/** SQL condition: a payment's reservation has lapsed. */
export const isLapsedPayment = (now: string) => `state = 'reserved' and leased_until_ms <= ${now}`;

/** SQL condition: a row belongs to an owner. Every row meets it if the owner is null. */
const isOf = (owner: string) => `(cast(${owner} as text) is null or owner = ${owner})`;

/**
 * Returns the write that deletes the lapsed reservation of a payment. The wallet's new version stops the request that made the reservation,
 * if it still runs. `isCalled`: whether to record that request's upstream call.
 * `owner`: only a reservation of this owner.
 */
export const dropLapsedPayment = (
  key: string,
  isCalled: boolean,
  nowMs: number,
  owner: string | null = null,
): AtomicWrite => ({
  condition: {
    sql: `update wallets set version = $4 where {in time} and id = (select wallet_id from payments
  where key = $1 and ${isLapsedPayment('$2')} and ${isOf('$3')}) returning id`,
    values: [key, nowMs, owner, randomUUID()],
  },
  changes: [
    {
      sql: `delete from payments where key = $1 and ${isLapsedPayment('$2')} and ${isOf('$3')} and {condition holds}`,
      values: [key, nowMs, owner],
    },
    ...(isCalled ? [noteCall(key, nowMs)] : []),
  ],
});
