import type { Companion, CompanionChange } from '../payments/companion.ts';
import type { Step } from '../payments/machine.ts';
import type { JournalEntry } from '../payments/store/journal.ts';
import type { Change, Stored } from '../payments/store/port.ts';
import { type Account, endedPurchase, granted, readAccount } from './account.ts';
import { accountName } from './debit.ts';
import { entryOf } from './entries.ts';
import { accountChange } from './sight.ts';

const hasJustSettled = ({ before, after }: Step): boolean =>
  after.record?.progress === 'settled' && before.record?.progress !== 'settled';

/** Whether a payment has come to nothing in this step. */
const hasJustEnded = ({ before, after }: Step): boolean =>
  after.record === undefined || (after.record.progress === 'refused' && before.record !== after.record);

function changesWith(step: Step, now: () => number): readonly CompanionChange[] {
  const record = step.after.record ?? step.before.record;
  const micros = record?.creditMicros ?? 0;
  const isSettled = hasJustSettled(step);
  if (!record || micros === 0 || !(isSettled || hasJustEnded(step))) return [];
  const { key, network, payer, signature, route = '' } = record;
  const change = (was: Stored): Change => {
    const account = readAccount(was.value as Account | undefined, now());
    const grant = { micros, atMs: now(), route, ...(signature !== undefined && { transaction: signature }) };
    const nowMs = now();
    if (isSettled) return accountChange(was, granted(account, grant, key), { isLasting: true, nowMs });
    return accountChange(was, endedPurchase(account, key), { isLasting: false, nowMs });
  };
  return [{ name: accountName({ network, wallet: payer }), change }];
}

function entriesOf(step: Step, node: string): readonly JournalEntry[] {
  const { record } = step.after;
  const micros = record?.creditMicros ?? 0;
  if (!record || micros === 0 || !hasJustSettled(step)) return [];
  const { key: id, network, payer: wallet, route = '', requestId = '', signature: transaction = '' } = record;
  return [entryOf('grant', { id, network, wallet, micros, route, requestId }, { transaction, node })];
}

/** What a settlement that was found out later has brought to credit. */
export interface LateGrant extends CompanionChange {
  readonly entry: JournalEntry;
}

/**
 * Grants what a settlement has brought that no record knows: all of it where its call was paid from credit already, or where it is
 * one of the amounts that credit is sold for. What of a bundle was for the answer that came with it is not known any more.
 */
export const lateGrants =
  (amounts: readonly number[], now: () => number) =>
  (settlement: JournalEntry, wasDebited: boolean): LateGrant | undefined => {
    const { id, micros, network, wallet, route, transaction } = settlement;
    if (!wasDebited && !amounts.includes(micros)) return undefined;
    const grant = { micros, atMs: now(), route, ...(transaction !== '' && { transaction }) };
    return {
      name: accountName({ network, wallet }),
      entry: { ...settlement, kind: 'grant', feeLamports: 0 },
      change(was) {
        const account = readAccount(was.value as Account | undefined, now());
        return accountChange(was, granted(account, grant, id), { isLasting: true, nowMs: now() });
      },
    };
  };

/** Credit is granted in the step that settles its payment; and in whatever step ends that, its purchase is over. */
export const creditGrants = (now: () => number): Companion => ({
  changesWith: (step) => changesWith(step, now),
  entriesOf,
});
