import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { InFlight } from '../../packages/gateway/src/budget/in-flight.ts';
import type {
  Budget,
  InFlightLimit,
  NonceUse,
  SlotAttempt,
  SlotVerdict,
  Store,
} from '../../packages/gateway/src/budget/store.ts';
import { openState, type State } from '../../packages/gateway/src/compose/state.ts';
import { readConfig } from '../../packages/gateway/src/config/config.ts';
import { openLocalStore } from '../kit/local-store.ts';

const roomThat = (isFree: boolean): InFlightLimit => ({ isFreeFor: () => isFree, enter: () => {}, leave: () => {} });

/** A node that has room for any number of calls in flight, and one that has none. */
export const [ROOM, NO_ROOM] = [roomThat(true), roomThat(false)];

/** Free when it is asked about, and not any more when Redis has answered. */
export function closingRoom(): InFlightLimit {
  let asked = 0;
  return { ...ROOM, isFreeFor: () => ++asked === 1 };
}

/** A store under test, and its clock. */
export interface Subject {
  readonly store: Store;
  elapse(milliseconds: number): Promise<void>;
  stop(): Promise<void>;
}

const budget: Budget = { key: 'suite', limit: 3, windowMs: 500, inFlightMs: 500, lateMs: 500 };
/** How long a slot is held if the end of its call is unknown. */
const HELD_MS = 1_500;
let serial = 0;
const owner = (): string => `owner-${serial++}`;

/** A nonce that this store has not seen. */
export function nonceOf(store: Store, change: Partial<NonceUse> = {}): NonceUse {
  const issuedAtSeconds = Math.floor(store.now() / 1000);
  return { nonce: randomUUID(), issuedAtSeconds, epoch: store.epoch() ?? '', ...change };
}

/** Asks as the same owner until the store answers: on a busy machine it may be late, and then says so by rejecting. */
export async function admitUntilAnswered(store: Store, attempt: SlotAttempt): Promise<SlotVerdict> {
  for (let again = 0; again < 20; again++) {
    const verdict = await store.admit(attempt).catch(() => undefined);
    if (verdict) return verdict;
    await sleep(100);
  }
  return store.admit(attempt);
}

const take = (
  store: Store,
  nonce?: NonceUse,
  change: { inFlightLimit?: InFlightLimit; owner?: string } = {},
): Promise<SlotVerdict> =>
  admitUntilAnswered(store, { budget, owner: owner(), inFlightLimit: ROOM, ...change, ...(nonce && { nonce }) });

/** Asks until a slot is free: on a busy machine a store may learn late that a call is over. */
async function takeFreed({ store, elapse }: Subject): Promise<SlotVerdict> {
  for (let again = 0; again < 10; again++) {
    const verdict = await take(store);
    if (verdict.kind !== 'limited') return verdict;
    await elapse(50);
  }
  return take(store);
}

/** The store of one process, under a clock that a test turns. */
export async function openTurnedStore(): Promise<Subject> {
  let now = 1_790_000_000_000;
  const { store, close } = await openLocalStore(() => now);
  const elapse = async (milliseconds: number) => {
    now += milliseconds;
  };
  return { store, elapse, stop: close };
}

/** The connected state of a node on this Redis that sells nothing. */
export async function openRedisState(url: string): Promise<State> {
  const variables = { REDIS_URL: url, GATEWAY_SECRET: 's'.repeat(32), TOKENS_API_KEY: 'key-of-the-upstream' };
  const state = await openState(readConfig(variables));
  await state.connect(() => undefined);
  return state;
}

/** The store on a Redis. A node also counts its own slots, by a clock that no test turns. */
export async function openRedisStore(url: string): Promise<Subject> {
  const { store, close } = await openRedisState(url);
  return { store, elapse: (milliseconds) => sleep(milliseconds), stop: close };
}

/** Registers tests that each open a store. */
export const testsWith = (open: () => Promise<Subject>) => (title: string, body: (subject: Subject) => Promise<void>) =>
  it(title, async () => {
    const subject = await open();
    await body(subject).finally(() => subject.stop());
  });

/** The suite that every store passes. */
export function storeContract(name: string, open: () => Promise<Subject>): void {
  const withStore = testsWith(open);

  describe(`${name}: slots`, () => {
    withStore('a store that can be reached is ready', async ({ store }) => expect(store.ready()).toBe(true));

    withStore('the limit is reached, not passed, and says when to come again', async ({ store }) => {
      for (let used = 0; used < budget.limit; used++) expect((await take(store)).kind).toBe('admitted');
      const refused = await take(store);
      expect(refused.kind).toBe('limited');
      expect(refused.retryAfterMs).toBeGreaterThan(0);
      expect(refused.retryAfterMs).toBeLessThanOrEqual(HELD_MS);
      expect(store.view(budget).left).toBe(0);
    });

    withStore('a completed call holds its slot for one window more', async (subject) => {
      const { store, elapse } = subject;
      const owners = [owner(), owner(), owner()];
      for (const each of owners) await take(store, undefined, { owner: each });
      for (const each of owners) store.complete(budget, each);
      await elapse(budget.windowMs / 2);
      expect((await take(store)).kind).toBe('limited');
      await elapse(budget.windowMs / 2 + 20);
      expect((await takeFreed(subject)).kind).toBe('admitted');
    });

    withStore(
      'a call that is not known to be over frees after its deadline, as long as it may be late, and the window',
      async ({ store, elapse }) => {
        for (let used = 0; used < budget.limit; used++) await take(store);
        await elapse(budget.windowMs + budget.inFlightMs + 50);
        expect((await take(store)).kind).toBe('limited');
        await elapse(HELD_MS - budget.windowMs - budget.inFlightMs);
        expect((await take(store)).kind).toBe('admitted');
      },
    );

    withStore('the same owner asking again takes no second slot', async ({ store }) => {
      const attempt = { budget, owner: owner(), inFlightLimit: ROOM, nonce: nonceOf(store) };
      expect([(await store.admit(attempt)).kind, (await store.admit(attempt)).kind]).toEqual(['admitted', 'admitted']);
      expect(store.view(budget).left).toBe(budget.limit - 1);
    });

    withStore('many at once never take more than the limit', async ({ store }) => {
      const verdicts = await Promise.all(Array.from({ length: 50 }, () => take(store)));
      expect(verdicts.filter(({ kind }) => kind === 'admitted')).toHaveLength(budget.limit);
    });

    withStore('many at once never take more room than there is, and no slot or nonce without it', async ({ store }) => {
      const [room, nonces] = [new InFlight(2), Array.from({ length: 3 }, () => nonceOf(store))];
      const verdicts = await Promise.all(nonces.map((nonce) => take(store, nonce, { inFlightLimit: room })));
      expect(verdicts.map(({ kind }) => kind).sort()).toEqual(['admitted', 'admitted', 'crowded']);
      expect(room.isFreeFor()).toBe(false);
      const again = await Promise.all(nonces.map((nonce) => take(store, nonce)));
      expect(again.map(({ kind }) => kind).sort()).toEqual(['admitted', 'nonce_used', 'nonce_used']);
      expect((await take(store)).kind).toBe('limited');
    });

    withStore('what is refused has taken no room', async ({ store }) => {
      const [room, nonce] = [new InFlight(1), nonceOf(store)];
      expect(await store.useNonce(nonce, owner())).toBe('accepted');
      expect((await take(store, nonce, { inFlightLimit: room })).kind).toBe('nonce_used');
      for (let used = 0; used < budget.limit; used++) await take(store);
      expect((await take(store, undefined, { inFlightLimit: room })).kind).toBe('limited');
      expect(room.isFreeFor()).toBe(true);
    });

    withStore('a pause refuses everybody until it ends, and uses up nothing', async ({ store, elapse }) => {
      const nonce = nonceOf(store);
      await store.pause(budget, 200);
      expect((await take(store, nonce)).kind).toBe('paused');
      await elapse(250);
      expect((await take(store, nonce)).kind).toBe('admitted');
    });

    withStore('a shorter pause does not end a longer one', async ({ store, elapse }) => {
      await store.pause(budget, 10_000);
      await store.pause(budget, 1);
      await elapse(50);
      const refused = await take(store);
      expect(refused.kind).toBe('paused');
      expect(refused.retryAfterMs).toBeGreaterThan(1_000);
      expect(store.view(budget).pauseMs).toBeGreaterThan(1_000);
      expect(store.view(budget).pauseMs).toBeLessThanOrEqual(10_000);
    });

    withStore('the view starts full and shows what is taken', async ({ store }) => {
      expect(store.view(budget)).toEqual({ left: 3, resetMs: 0, pauseMs: 0 });
      await take(store);
      expect(store.view(budget).left).toBe(2);
      expect(store.view(budget).resetMs).toBeGreaterThan(0);
    });
  });

  describe(`${name}: nonces`, () => {
    withStore('a nonce is good for one owner', async ({ store }) => {
      const nonce = nonceOf(store);
      const verdicts = await Promise.all(Array.from({ length: 20 }, () => take(store, nonce)));
      expect(verdicts.map(({ kind }) => kind).sort()).toEqual(['admitted', ...Array(19).fill('nonce_used')]);
      expect(store.view(budget).left).toBe(budget.limit - 1);
    });

    withStore('a refusal for want of a slot or of room uses up nothing', async ({ store, elapse }) => {
      const nonce = nonceOf(store);
      expect((await take(store, nonce, { inFlightLimit: NO_ROOM })).kind).toBe('crowded');
      for (let used = 0; used < budget.limit; used++) await take(store);
      expect((await take(store, nonce)).kind).toBe('limited');
      await elapse(HELD_MS + 20);
      expect((await take(store, nonce)).kind).toBe('admitted');
    });

    withStore('a replay is called a replay, even when there is no room, no slot and a pause', async ({ store }) => {
      const nonce = nonceOf(store);
      for (let used = 0; used < budget.limit; used++) await take(store, used === 0 ? nonce : undefined);
      await store.pause(budget, 10_000);
      expect((await take(store, nonce, { inFlightLimit: NO_ROOM })).kind).toBe('nonce_used');
    });

    withStore('too old, too new and another epoch are refused and cost no slot', async ({ store }) => {
      const now = Math.floor(store.now() / 1000);
      expect((await take(store, nonceOf(store, { issuedAtSeconds: now - 302 }))).kind).toBe('nonce_expired');
      expect((await take(store, nonceOf(store, { issuedAtSeconds: now + 33 }))).kind).toBe('nonce_expired');
      expect((await take(store, nonceOf(store, { epoch: 'another' }))).kind).toBe('nonce_used');
      expect(store.view(budget).left).toBe(budget.limit);
    });

    withStore('a nonce that was used up without a slot is used all the same', async ({ store }) => {
      const nonce = nonceOf(store);
      expect(await store.useNonce(nonce, owner())).toBe('accepted');
      expect(await store.useNonce(nonce, owner())).toBe('nonce_used');
      expect((await take(store, nonce)).kind).toBe('nonce_used');
    });
  });
}
