import { Refusal } from '@asset-gateway/protocol';
import { LRUCache } from 'lru-cache';
import { describe, expect, it } from 'vitest';
import type { Budget, Share } from '../../packages/gateway/src/budget/store.ts';
import { CallOrder } from '../../packages/gateway/src/cache/call-order.ts';
import { CallsInFlight } from '../../packages/gateway/src/cache/calls-in-flight.ts';
import { ALONE, CallClaim } from '../../packages/gateway/src/cache/shared-entries.ts';
import { Waiter, Waiters } from '../../packages/gateway/src/cache/waiters.ts';
import type { Input, Spend, UpstreamCall } from '../../packages/gateway/src/call.ts';
import { rowOf } from '../http/targets.ts';

const SLOT = { release: () => undefined };
const budget: Budget = { key: 'b', limit: 1, windowMs: 1, inFlightMs: 1 };
const shareAt = (group: string): Share => ({ group, wallet: 'W' });
const key = { id: 'a', freshSeconds: 30, maxStaleSeconds: 300 };
const plan = { key, route: rowOf('tokens.health'), input: { path: {}, query: {}, body: {} } as unknown as Input };

/** A request at an address that waits for the key, and takes a slot like this. */
const waiterAt = (group: string, take: Spend): Waiter =>
  new Waiter([{ key, refusesCached: false }], { wallet: group, spend: take }, shareAt(group));

/** Makes a call for these requests. Answers the requests that were dismissed, and the numbers of calls. */
async function callFor(...waiters: readonly Waiter[]) {
  const [waiting, dismissed] = [new Waiters(), [] as (string | undefined)[]];
  for (const waiter of waiters) waiting.enter(waiter, 60_000, () => undefined);
  const calls = new CallsInFlight({
    waiting,
    order: new CallOrder({ slots: 30, windowMs: 60_000, known: 64, candidates: 32 }),
    upstream: { answer: ({ spend }: UpstreamCall) => spend(budget).then(() => ({ json: '{}' })) },
    kept: new LRUCache({ max: 9 }),
    spendAlone: () => Promise.reject(new Error('a request waits')),
    dismiss: ({ asker }) => void dismissed.push(asker.wallet),
    now: () => 0,
  });
  await calls.make([plan], new CallClaim({ entries: ALONE, owner: 'this node', isEnough: () => false }));
  return { dismissed, made: calls.made };
}

describe('a call that several wait for', () => {
  it('is charged to all of their shares', async () => {
    const charges: unknown[] = [];
    const take: Spend = async (_, charge) => {
      charges.push(charge);
      return SLOT;
    };
    const used: Spend = () => Promise.reject(new Refusal('invalid_siwx_nonce'));
    const [one, two] = [waiterAt('one', used), waiterAt('two', take)];
    expect(await callFor(one, two)).toEqual({ dismissed: ['one'], made: { awaited: 1, refresh: 0 } });
    expect(charges).toEqual([[shareAt('one'), shareAt('two')]]);
    expect([two.given.size, two.isCollapsed]).toEqual([1, false]);
  });

  it('spends once if no share has a slot, and refuses all waiters', async () => {
    let asked = 0;
    const refusal = new Refusal('rate_limited', { scope: 'group', retryAfterSeconds: 60 });
    const take: Spend = () => {
      asked++;
      return Promise.reject(refusal);
    };
    const { dismissed, made } = await callFor(waiterAt('one', take), waiterAt('two', take));
    expect([asked, dismissed, made.awaited]).toEqual([1, ['one', 'two'], 0]);
  });
});
