import type { Change, Stored } from '../payments/store/port.ts';
import { type Account, CREDIT } from './account.ts';
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

/** What of an account alone is written. */
export const changeOf = (was: Stored, value: unknown, isLasting: boolean): Change => ({ was, value, isLasting });

/** What a step of a debit writes. */
export function changesOf([account, debit]: readonly [Stored, Stored], outcome: Outcome<unknown>): Change[] {
  const value = outcome.debit === 'removed' ? undefined : outcome.debit;
  const isCaptured = value?.progress === 'captured';
  const forgetMs = isCaptured ? CREDIT.debitMs : CREDIT.heldMs;
  return [changeOf(account, outcome.account, isCaptured), { ...changeOf(debit, value, isCaptured), forgetMs }];
}

/** The documents that were asked for. */
export function bothOf([account, debit]: readonly Stored[]): readonly [Stored, Stored] {
  if (!account || !debit) throw new Error('the store has left documents out');
  return [account, debit];
}
