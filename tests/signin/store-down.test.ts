import { describe, expect, it } from 'vitest';
import type { Store } from '../../packages/gateway/src/budget/store.ts';
import { askFreshly, askWith, budgetLeft, costsNothing, HEALTH, signInFor, statusOf } from './craft.ts';
import { openDirect } from './direct-gateway.ts';

const errorOf = async (response: Response): Promise<unknown> => ((await response.json()) as { error?: string }).error;

/** The same store, as an object whose steps can be replaced. */
const around = (store: Store): Store => ({
  now: () => store.now(),
  wallNow: () => store.wallNow(),
  ready: () => store.ready(),
  epoch: () => store.epoch(),
  admit: (attempt) => store.admit(attempt),
  judge: (...parts) => store.judge(...parts),
  burn: (...parts) => store.burn(...parts),
  complete: (...parts) => store.complete(...parts),
  pause: (...parts) => store.pause(...parts),
  view: (budget) => store.view(budget),
});

/** A store whose admit step fails before or after it is carried out, so many times. */
const failing = (store: Store, fault: { before: number; after: number }): Store => ({
  ...around(store),
  admit: async (attempt) => {
    if (fault.before-- > 0) throw new Error('the store is down');
    const verdict = await store.admit(attempt);
    if (fault.after-- > 0) throw new Error('the reply was lost');
    return verdict;
  },
});

describe('S21 a good header at a store that fails', () => {
  it('reaches no upstream and is not burnt while the store is down', async () => {
    const fault = { before: 0, after: 0 };
    const direct = await openDirect({ around: (store) => failing(store, fault) });
    const header = await signInFor(direct);
    await costsNothing(direct, direct, async () => {
      fault.before = 2;
      const down = await askWith(direct, header);
      expect([down.status, await errorOf(down), down.headers.get('retry-after')]).toEqual([
        503,
        'state_unavailable',
        '2',
      ]);
    });
    expect(await statusOf(askWith(direct, header))).toBe(200);
    await direct.close();
  });

  it('is served where one reply was lost, and takes one slot', async () => {
    const fault = { before: 0, after: 0 };
    const direct = await openDirect({ around: (store) => failing(store, fault) });
    const left = await budgetLeft(direct);
    fault.after = 1;
    expect(await statusOf(askFreshly(direct))).toBe(200);
    expect(await budgetLeft(direct)).toBe(left - 2);
    await direct.close();
  });
});

describe('a store whose epoch nobody has read yet', () => {
  it('lets no sign-in through, and no challenge that nobody could check', async () => {
    let known = false;
    const direct = await openDirect({
      around: (store) => ({ ...around(store), epoch: () => (known ? store.epoch() : undefined) }),
    });
    const refused = await direct.ask(HEALTH);
    expect([refused.status, await errorOf(refused), refused.headers.get('retry-after')]).toEqual([
      503,
      'state_unavailable',
      '2',
    ]);
    known = true;
    const header = await signInFor(direct);
    known = false;
    expect(await errorOf(await askWith(direct, header))).toBe('state_unavailable');
    expect(direct.upstream.arrivals).toHaveLength(0);
    known = true;
    expect(await statusOf(askWith(direct, header))).toBe(200);
    await direct.close();
  });
});
