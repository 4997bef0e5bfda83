import { Refusal } from '@asset-gateway/protocol';
import { describe, expect, it } from 'vitest';
import type { Budget, Share } from '../../packages/gateway/src/budget/store.ts';
import { CallLeadership } from '../../packages/gateway/src/cache/upstream-call.ts';
import { Waiter } from '../../packages/gateway/src/cache/waiters.ts';
import type { Spend } from '../../packages/gateway/src/call.ts';

const SLOT = { release: () => undefined };
const budget: Budget = { key: 'b', limit: 1, windowMs: 1, inFlightMs: 1 };
const shareAt = (group: string): Share => ({ group, wallet: 'W' });

/** One who waits, at an address, and what becomes of a slot that this one takes. */
const waiterAt = (group: string, take: Spend): Waiter => {
  return new Waiter([], { wallet: group, spend: take }, shareAt(group));
};

/** Who takes the slot of a call that these wait for, and who is dismissed meanwhile. */
function leadershipOf(waiters: readonly Waiter[]) {
  const dismissed: (string | undefined)[] = [];
  const spendAlone: Spend = () => Promise.reject(new Error('a request waits'));
  const dismiss = (waiter: Waiter) => void dismissed.push(waiter.asker.wallet);
  return { dismissed, leadership: new CallLeadership({ waiters: () => waiters, spendAlone, dismiss }) };
}

describe('a call that several wait for', () => {
  it('is charged to all of their shares', async () => {
    const charges: unknown[] = [];
    const take: Spend = async (_, charge) => {
      charges.push(charge);
      return SLOT;
    };
    const used: Spend = () => Promise.reject(new Refusal('invalid_siwx_nonce'));
    const { leadership, dismissed } = leadershipOf([waiterAt('one', used), waiterAt('two', take)]);
    expect(await leadership.spend(budget)).toBe(SLOT);
    expect(charges).toEqual([[shareAt('one'), shareAt('two')]]);
    expect([leadership.leader?.asker.wallet, dismissed]).toEqual(['two', ['one']]);
  });

  it('spends once if no share has a slot, and refuses all waiters', async () => {
    let asked = 0;
    const refusal = new Refusal('rate_limited', { scope: 'group' });
    const take: Spend = () => {
      asked++;
      return Promise.reject(refusal);
    };
    const { leadership, dismissed } = leadershipOf([waiterAt('one', take), waiterAt('two', take)]);
    await expect(leadership.spend(budget)).rejects.toBe(refusal);
    expect([asked, dismissed]).toEqual([1, []]);
    expect(leadership.asked.map(({ asker }) => asker.wallet)).toEqual(['one', 'two']);
  });
});
