import { randomUUID } from 'node:crypto';
import { TIMES } from '../../times.ts';
import { type AtomicWrite, insertion, type Statement } from './database.ts';

// SQL that payments and credit share. `wallet` and `now`: a parameter such as $5, or a column.

/** A subquery, because PostgreSQL would scan the whole table if the list of ids depended on the outer row. */
export const THE_WALLET = '(select id from wallets where cluster = $1 and address = $2)';

/** Payments whose outcome is not known yet. */
export const IS_UNFINISHED = `state in ('reserved', 'settling', 'unresolved')`;

/** Whether a payment is unfinished and brings credit that its wallet's calls wait for. */
export const bringsCredit = (now: string) =>
  `${IS_UNFINISHED} and credit_micro_usdc > 0 and (leased_until_ms > ${now} or settling_since_ms > ${now} - ${TIMES.blockhashMs})`;

/** Whether the outcome of a payment is unknown and is still looked up. */
export const IS_SEARCHED = `state in ('settling', 'unresolved') and search_ended_ms is null`;

/**
 * Whether a payment is open or its answer owed. The first condition matches an index. Without it, the database would
 * read all payments of the wallet.
 */
export const isDue = (now: string) => `(state in ('settling', 'unresolved') or owed_until_ms is not null)
  and ((${IS_SEARCHED}) or owed_until_ms > ${now})`;

/**
 * The number of a wallet's upstream calls in the last minute that nothing has paid for. A call that may have an effect
 * is recorded before it is made. The count leaves out calls whose price is still held, because `LIMITS.holdsPerWallet`
 * limits those.
 */
export const unchargedCalls = (wallet: string, now: string) => `(select cast(coalesce(sum(calls), 0) as bigint)
  from uncharged_calls u where wallet_id = ${wallet} and at_ms > cast(${now} as bigint) - ${TIMES.failuresMs}
  and not exists (select 1 from debits where id = u.payment_key and state = 'held'))`;

/** Inserts upstream calls that nothing has paid for. */
export const INSERT_CALLS = insertion('uncharged_calls', ['payment_key', 'calls', 'at_ms']);

/** Notes a call that may have an effect. */
export const noteCall = (key: string, nowMs: number) => INSERT_CALLS([key, 1, nowMs]);

/** Deletes the uncharged calls of a payment or debit. */
export const deleteCalls = (key: string): Statement => ({
  sql: 'delete from uncharged_calls where payment_key = $1 and {condition holds}',
  values: [key],
});

/** Whether a payment's reservation has lapsed. */
export const isLapsedPayment = (now: string) => `state = 'reserved' and leased_until_ms <= ${now}`;

/**
 * Deletes the lapsed reservation of a payment. The new version of the wallet stops the request that made the reservation, if it still
 * runs. `isCalled`: whether to note its upstream call.
 */
export const dropLapsedPayment = (key: string, isCalled: boolean, nowMs: number): AtomicWrite => ({
  condition: {
    sql: `update wallets set version = $3 where {in time}
  and id = (select wallet_id from payments where key = $1 and ${isLapsedPayment('$2')}) returning id`,
    values: [key, nowMs, randomUUID()],
  },
  changes: [
    {
      sql: `delete from payments where key = $1 and ${isLapsedPayment('$2')} and {condition holds}`,
      values: [key, nowMs],
    },
    ...(isCalled ? [noteCall(key, nowMs)] : []),
  ],
});
