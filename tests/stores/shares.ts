import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { REFRESH, type Share, shareOf } from '../../packages/gateway/src/budget/shares.ts';
import type { Admit, Budget, Store, Verdict } from '../../packages/gateway/src/budget/store.ts';
import type { Subject } from './contract.ts';
import { ROOM } from './room.ts';

const WINDOW_MS = 600;

export const budgetOf = (limit = 30): Budget => ({ key: randomUUID(), limit, windowMs: WINDOW_MS, inFlightMs: 10_000 });

/** The share of a wallet at the nth address, or of the wallet if it has paid. */
export const at = (place: number, wallet = 'W', hasPaid = false): Share => shareOf(`10.0.${place}.1`, wallet, hasPaid);

/** Takes a slot, or says why not; as the same owner again where a busy machine let the reply come late. */
export async function take(store: Store, attempt: Pick<Admit, 'budget' | 'share'> & Partial<Admit>): Promise<Verdict> {
  const owned = { owner: randomUUID(), room: ROOM, ...attempt };
  return store.admit(owned).catch(() => store.admit(owned));
}

export async function fill(store: Store, budget: Budget, share: Share): Promise<number> {
  for (let slots = 0; ; slots++) {
    if ((await take(store, { budget, share })).kind !== 'admitted') return slots;
  }
}

/** The contract of shares for every store. */
export function sharesContract(name: string, open: () => Promise<Subject>): void {
  const withStore = (title: string, body: (subject: Subject) => Promise<void>) =>
    it(title, async () => {
      const subject = await open();
      await body(subject).finally(() => subject.stop());
    });

  describe(`${name}: shares`, () => {
    withStore('a group that is alone gets 24 of 30, and a newcomer is let in beside it', async ({ store }) => {
      const budget = budgetOf();
      expect(await fill(store, budget, at(1))).toBe(24);
      const refused = await take(store, { budget, share: at(1, 'another wallet') });
      expect(refused).toEqual({ kind: 'limited', scope: 'group', retryAfterMs: expect.any(Number) });
      expect(refused.retryAfterMs).toBeGreaterThan(0);
      expect(refused.retryAfterMs).toBeLessThanOrEqual(WINDOW_MS + budget.inFlightMs);
      expect(await take(store, { budget, share: at(2) })).toEqual({ kind: 'admitted', charged: at(2) });
    });

    withStore('W3 a share is judged as a slot would be, and nothing is taken', async ({ store }) => {
      const budget = budgetOf();
      expect(await store.judge(budget, at(1))).toBeUndefined();
      await fill(store, budget, at(1));
      const { left } = store.view(budget);
      const judged = await store.judge(budget, at(1));
      expect(judged).toEqual({ kind: 'limited', scope: 'group', retryAfterMs: expect.any(Number) });
      expect(judged?.retryAfterMs).toBeGreaterThan(0);
      for (let turn = 0; turn < 10; turn++) expect(await store.judge(budget, at(2))).toBeUndefined();
      expect(store.view(budget).left).toBe(left);
      for (let place = 2; place < 6; place++) await take(store, { budget, share: at(place) });
      for (let payer = 0; payer < 2; payer++) await take(store, { budget, share: at(1, `P${payer}`, true) });
      expect(await store.judge(budget, at(9))).toEqual({ kind: 'limited', retryAfterMs: expect.any(Number) });
    });

    withStore('what a share refuses takes no slot and burns no nonce', async ({ store }) => {
      const budget = budgetOf();
      await fill(store, budget, at(1));
      const { left } = store.view(budget);
      const nonce = {
        nonce: randomUUID(),
        issuedAtSeconds: Math.floor(store.now() / 1000),
        epoch: store.epoch() ?? '',
      };
      expect((await take(store, { budget, share: at(1), nonce })).scope).toBe('group');
      expect(store.view(budget).left).toBe(left);
      expect((await take(store, { budget, share: at(2), nonce })).kind).toBe('admitted');
      expect((await take(store, { budget, share: at(3), nonce })).kind).toBe('nonce_used');
    });

    withStore('inside a group a wallet leaves room for the others that hold a slot', async ({ store }) => {
      const budget = budgetOf();
      await take(store, { budget, share: at(1, 'few') });
      expect(await fill(store, budget, at(1, 'many'))).toBe(19);
      expect((await take(store, { budget, share: at(1, 'many') })).scope).toBe('wallet');
      expect((await take(store, { budget, share: at(1, 'few') })).kind).toBe('admitted');
    });

    withStore('the last slots are left to wallets that have paid, wherever they are', async ({ store }) => {
      const budget = budgetOf();
      for (let place = 1; place <= 50; place++) await take(store, { budget, share: at(place) });
      expect(store.view(budget).left).toBe(2);
      expect((await take(store, { budget, share: at(51) })).scope).toBe('group');
      expect((await take(store, { budget, share: at(1, 'payer', true) })).kind).toBe('admitted');
    });

    withStore('a call that several wait for is charged to the group with the least', async ({ store }) => {
      const budget = budgetOf();
      await fill(store, budget, at(1));
      const share = [at(1), REFRESH, at(2)];
      expect((await take(store, { budget, share })).charged).toEqual(REFRESH);
      expect((await take(store, { budget, share })).charged).toEqual(at(2));
    });

    withStore('the same owner asking again is charged once', async ({ store }) => {
      const [budget, owner] = [budgetOf(5), randomUUID()];
      for (let again = 0; again < 5; again++) {
        expect(await take(store, { budget, share: at(1), owner })).toEqual({ kind: 'admitted', charged: at(1) });
      }
      expect(await fill(store, budget, at(1))).toBe(3);
    });

    withStore('a slot that frees is no longer charged to anybody', async ({ store, elapse }) => {
      const budget = budgetOf(5);
      for (let round = 0; round < 3; round++) {
        const owners = Array.from({ length: 4 }, () => randomUUID());
        for (const owner of owners) {
          expect((await take(store, { budget, share: at(1), owner })).kind).toBe('admitted');
        }
        expect((await take(store, { budget, share: at(1) })).scope).toBe('group');
        for (const owner of owners) store.complete(budget, owner);
        await elapse(WINDOW_MS + 50);
      }
    });

    withStore('slots that nobody is charged with count as taken', async ({ store }) => {
      const budget = budgetOf();
      for (let slots = 0; slots < 10; slots++) {
        expect((await take(store, { budget, owner: randomUUID() } as Admit)).kind).toBe('admitted');
      }
      expect(await fill(store, budget, at(1))).toBe(16);
    });
  });
}
