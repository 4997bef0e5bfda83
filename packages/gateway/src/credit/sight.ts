import type { Change, Stored } from '../payments/store/port.ts';
import { type Account, CREDIT, isEmpty } from './account.ts';
import type { Debit } from './debit.ts';

/**
 * An account and one of its debits as they were last read or written on behalf of one call: each step begins with what the one
 * before has left here, which spares a look, and leaves what it has written.
 */
export interface Sight {
  stored?: readonly [Stored, Stored];
}

/** An account and one of its debits. */
export interface Seen {
  readonly account: Account;
  readonly debit: Debit | undefined;
}

/** What a step makes of them; a member that is left out stays as it is. */
export interface Outcome<V> {
  readonly verdict: V;
  readonly account?: Account;
  readonly debit?: Debit | 'removed';
}

/**
 * How an account is written. One that says nothing is removed; one that says no more than that credit is being bought lasts as
 * long as that may take, so that a process that dies leaves none behind.
 */
export function accountChange(was: Stored, account: Account, { isLasting, nowMs }: AccountWrite): Change {
  if (isEmpty(account)) return { was, value: undefined, isLasting };
  const { purchase, ...others } = account;
  const isBrief = purchase !== undefined && isEmpty(others);
  return { was, value: account, isLasting, ...(isBrief && { forgetMs: Math.max(purchase.untilMs - nowMs, 1) }) };
}

/** Whether it must outlive the process, and the store's time in milliseconds. */
export interface AccountWrite {
  readonly isLasting: boolean;
  readonly nowMs: number;
}

/** An outcome that changes the account. */
type Decided = Outcome<unknown> & { readonly account: Account };

/** What a step of a debit writes. */
export function changesOf([account, debit]: readonly [Stored, Stored], outcome: Decided, nowMs: number): Change[] {
  const value = outcome.debit === 'removed' ? undefined : outcome.debit;
  const isLasting = value?.progress === 'captured';
  const forgetMs = isLasting ? CREDIT.debitMs : CREDIT.heldMs;
  return [accountChange(account, outcome.account, { isLasting, nowMs }), { was: debit, value, isLasting, forgetMs }];
}

/** The documents that were asked for. */
export function bothOf([account, debit]: readonly Stored[]): readonly [Stored, Stored] {
  if (!account || !debit) throw new Error('the store has left documents out');
  return [account, debit];
}
