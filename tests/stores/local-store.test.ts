import Connection from 'libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { InFlight } from '../../packages/gateway/src/budget/in-flight.ts';
import type { Budget, NonceUse, SlotAttempt, Store } from '../../packages/gateway/src/budget/store.ts';
import { sqliteIn } from '../../packages/gateway/src/stores/sql/sqlite.ts';
import { Recent } from '../../packages/gateway/src/tallies.ts';
import { makeFolder } from '../kit/folder.ts';
import { type OpenedStore, openLocalStore } from '../kit/local-store.ts';
import { openTurnedStore, ROOM, storeContract } from './contract.ts';

const START_MS = Date.parse('2026-11-23T12:00:00Z');
const HOLD_MS = 70_000;
const budget: Budget = { key: 'tokens:0123456789abcdef', limit: 3, windowMs: 60_000, inFlightMs: 10_000 };

storeContract('of one process', openTurnedStore);

let folder: string;
let nowMs: number;
/** How long the machine has been running, and since which start. */
let upMs: number;
let boot: string | undefined;
let opened: OpenedStore[];
let serial = 0;
beforeEach(() => {
  folder = makeFolder();
  [nowMs, upMs, boot, opened] = [START_MS, 5_000_000.25, 'the first start', []];
});
afterEach(async () => {
  for (const each of opened) await each.close();
});

function elapse(milliseconds: number): void {
  nowMs += milliseconds;
  upMs += milliseconds;
}

/** Starts a gateway. The previous one counts as killed if it was not stopped. */
async function start(): Promise<OpenedStore> {
  const clocks = { now: () => nowMs, monotonic: () => upMs, boot };
  const one = await openLocalStore(() => nowMs, { folder, clocks });
  const close = async () => {
    if (opened.includes(one)) await one.close();
    opened = opened.filter((other) => other !== one);
  };
  opened.push(one);
  return { ...one, close };
}

const nonceOf = (store: Store, nonce = `nonce-${serial++}`): NonceUse => {
  return { nonce, issuedAtSeconds: Math.floor(nowMs / 1000), epoch: store.epoch() ?? '' };
};

const admit = async (store: Store, attempt: Partial<SlotAttempt> = {}): Promise<string> =>
  (await store.admit({ budget, owner: `owner-${serial++}`, inFlightLimit: ROOM, ...attempt })).kind;

const heldIn = ({ store }: OpenedStore, of = budget): number => of.limit - store.view(of).left;

/** How long the slots that are left are held by a gateway that starts now. */
async function waitMs(): Promise<number> {
  const one = await start();
  const { resetMs } = one.store.view(budget);
  await one.close();
  return resetMs;
}

const rowsIn = async ({ database }: OpenedStore) => database.read({ sql: 'select * from admissions order by id' });

describe('a store of one process', () => {
  it.each(['stopped', 'killed'])('R12 continues the state of a gateway that was %s', async (end) => {
    const before = await start();
    const [used, usedAlone, unused] = [nonceOf(before.store), nonceOf(before.store), nonceOf(before.store)];
    for (const nonce of ['one', 'two']) await admit(before.store, { nonce: { ...used, nonce } });
    expect(await admit(before.store, { nonce: used })).toBe('admitted');
    expect(await before.store.useNonce(usedAlone, 'somebody')).toBe('accepted');
    if (end === 'stopped') await before.close();

    const { store } = await start();
    expect(store.epoch()).toBe(before.store.epoch());
    for (const each of [used, usedAlone]) expect(await admit(store, { nonce: each })).toBe('nonce_used');
    expect(await store.useNonce(used, 'somebody')).toBe('nonce_used');
    const refused = await store.admit({ budget, owner: 'next', inFlightLimit: ROOM, nonce: unused });
    expect(refused).toEqual({ kind: 'limited', retryAfterMs: HOLD_MS });
    elapse(HOLD_MS);
    expect(await admit(store, { nonce: unused })).toBe('admitted');
  });

  it('R12 holds a slot for as long as its call may have lasted, and from its end on for one window', async () => {
    const before = await start();
    await admit(before.store, { owner: 'one' });
    elapse(1_000);
    expect(await waitMs()).toBe(HOLD_MS - 1_000);
    before.store.complete(budget, 'one');
    await before.close();
    expect(await waitMs()).toBe(budget.windowMs);
  });

  it('frees slots from before a restart and later ones each in its time', async () => {
    const long = { ...budget, inFlightMs: 600_000 };
    const before = await start();
    await admit(before.store, { budget: long });
    await before.close();
    const { store } = await start();
    const short = { ...budget, limit: 2 };
    expect(await admit(store, { budget: short })).toBe('admitted');
    expect(await admit(store, { budget: short })).toBe('limited');
    elapse(HOLD_MS);
    expect(await admit(store, { budget: short })).toBe('admitted');
  });

  it('keeps the slots of each budget, but none of a budget above a thousand or of one second', async () => {
    const other = { ...budget, key: 'tokens:fedcba9876543210', limit: 1_000 };
    const [large, second] = [
      { ...budget, key: 'large', limit: 1_001 },
      { ...budget, key: 'second', fromDispatch: true },
    ];
    const before = await start();
    for (const each of [budget, budget, other, second]) await admit(before.store, { budget: each });
    const nonce = nonceOf(before.store);
    expect(await admit(before.store, { budget: large, nonce })).toBe('admitted');
    const after = await start();
    expect([budget, other, large, second].map((each) => heldIn(after, each))).toEqual([2, 1, 0, 0]);
    // The nonce is kept all the same.
    expect(await admit(after.store, { budget: large, nonce })).toBe('nonce_used');
  });
});

describe('a store that starts under other clocks', () => {
  it.each<[string, { setBy?: number; boot?: string | undefined; upMs?: number }, boolean, number]>([
    ['as they were', {}, true, 60_000],
    ['where the time was set by less than a second', { setBy: 900 }, true, 60_000],
    ['where the time was set forward', { setBy: 3_600_000 }, false, 60_000],
    ['where the time was set forward by little more than a second', { setBy: 1_100 }, false, 60_000],
    ['where the time was set back', { setBy: -3_600_000 }, false, HOLD_MS],
    ['after a reboot', { boot: 'the second start', upMs: 10_000 }, false, HOLD_MS],
    ['on a system that does not name its starts', { boot: undefined }, false, 60_000],
  ])('%s: frees no slot early and none later than it was to be, and takes no nonce twice', async (...scenario) => {
    const [, change, isSameEpoch, leftMs] = scenario;
    const before = await start();
    const [used, unused] = [nonceOf(before.store), nonceOf(before.store)];
    expect(await admit(before.store, { nonce: used })).toBe('admitted');
    await before.close();
    elapse(10_000);
    nowMs += change.setBy ?? 0;
    if ('boot' in change) boot = change.boot;
    upMs = change.upMs ?? upMs;
    const { store } = await start();
    expect(store.view(budget).resetMs).toBe(leftMs);
    expect(store.epoch() === before.store.epoch()).toBe(isSameEpoch);
    expect(await store.useNonce(used, 'somebody')).toBe('nonce_used');
    expect(await store.useNonce(unused, 'somebody')).toBe(isSameEpoch ? 'accepted' : 'nonce_used');
    const fresh = nonceOf(store);
    expect(await store.useNonce(fresh, 'one')).toBe('accepted');
    expect(await store.useNonce(fresh, 'other')).toBe('nonce_used');
  });

  it('R12 a reboot holds a slot longer once, and not at each start after it', async () => {
    await admit((await start()).store);
    elapse(HOLD_MS - 1_000);
    [boot, upMs] = ['the second start', 10_000];
    expect(await waitMs()).toBe(HOLD_MS);
    elapse(HOLD_MS - 1_000);
    expect(await waitMs()).toBe(1_000);
    elapse(1_000);
    expect(await waitMs()).toBe(0);
  });

  it('forgets the nonces of an ended epoch, and never mistakes a returning epoch for another', async () => {
    const before = await start();
    const used = nonceOf(before.store);
    await admit(before.store, { nonce: used });
    await before.close();
    boot = 'the second start';
    const after = await start();
    expect((await rowsIn(after)).filter(({ nonce }) => nonce !== null)).toEqual([]);
    await after.close();
    boot = 'the first start';
    expect(await (await start()).store.useNonce(used, 'somebody')).toBe('nonce_used');
  });
});

describe('admissions on the disk', () => {
  it('R11 are deleted when their slots are free and their nonces too old, through starts and calls that end late', async () => {
    let [one, most] = [await start(), 0];
    const running: { readonly owner: string; readonly endsAtMs: number }[] = [];
    for (let call = 0; call < 300; call++) {
      // Calls last up to ten seconds and end in another order than they begin.
      const owner = `owner ${call}`;
      await admit(one.store, { owner, budget: { ...budget, limit: 1_000 }, nonce: nonceOf(one.store) });
      running.push({ owner, endsAtMs: nowMs + ((call * 7_919) % 100) * 100 });
      for (const ended of running.filter(({ endsAtMs }) => endsAtMs <= nowMs)) {
        running.splice(running.indexOf(ended), 1);
        one.store.complete({ ...budget, limit: 1_000 }, ended.owner);
      }
      elapse(10_000);
      if (call % 20 !== 19) continue;
      await one.close();
      one = await start();
      most = Math.max(most, (await rowsIn(one)).length);
    }
    // A nonce is remembered for six minutes.
    expect(most).toBeLessThanOrEqual(37);
    elapse(361_000);
    await expect.poll(async () => (await rowsIn(one)).length).toBe(0);
  });
});

describe('an admission that cannot be written', () => {
  /** While something else in the database is wrong, from another connection. */
  const disk = (sql: string) => {
    const connection = new Connection(sqliteIn(folder));
    connection.exec(sql);
    connection.close();
  };
  const fill = () =>
    disk(`create trigger full before insert on admissions begin select raise(abort, 'the disk is full'); end`);

  it('takes no slot and uses up no nonce, and both are good when its owner or another one asks again', async () => {
    const one = await start();
    const nonces = Array.from({ length: 4 }, () => nonceOf(one.store));
    fill();
    const attempts = nonces.slice(0, 3).map((nonce, index) => ({ owner: `owner ${index}`, nonce }));
    for (const attempt of attempts) await expect(admit(one.store, attempt)).rejects.toThrow('the disk is full');
    await expect(one.store.useNonce(nonces[3] as NonceUse, 'somebody')).rejects.toThrow('the disk is full');
    expect(heldIn(one)).toBe(0);
    disk('drop trigger full');
    const [same, ...others] = attempts;
    expect(await admit(one.store, same)).toBe('admitted');
    for (const { nonce } of others) expect(await admit(one.store, { nonce })).toBe('admitted');
    expect(await one.store.useNonce(nonces[3] as NonceUse, 'somebody else')).toBe('accepted');
    expect(await admit(one.store)).toBe('limited');
    expect(await rowsIn(one)).toHaveLength(4);
  });

  it('takes no room, so that its owner is not refused as crowded when it asks again', async () => {
    const one = await start();
    const [room, attempt] = [new InFlight(1), { owner: 'same', nonce: nonceOf(one.store) }];
    fill();
    for (const ask of ['first', 'again']) {
      await expect(admit(one.store, { ...attempt, inFlightLimit: room }), ask).rejects.toThrow('the disk is full');
    }
    expect([room.isFreeFor(), heldIn(one)]).toEqual([true, 0]);
    disk('drop trigger full');
    expect(await admit(one.store, { ...attempt, inFlightLimit: room })).toBe('admitted');
    expect(room.isFreeFor()).toBe(false);
  });

  it('is one while another program keeps the database to itself: each is then good again, with its own nonce', async () => {
    const one = await start();
    const nonces = ['first', 'second', 'third', 'fourth'].map((nonce) => nonceOf(one.store, nonce));
    expect(await one.store.useNonce(nonces[0] as NonceUse, 'somebody')).toBe('accepted');
    const other = new Connection(sqliteIn(folder));
    other.exec('begin immediate');
    for (const each of [nonces.slice(1, 2), nonces.slice(2)]) {
      const asked = each.map((nonce) => admit(one.store, { nonce }).catch(({ message }: Error) => message));
      expect(new Set(await Promise.all(asked))).toEqual(new Set(['database is locked']));
    }
    other.exec('rollback');
    other.close();
    for (const nonce of nonces.slice(2)) expect(await admit(one.store, { nonce })).toBe('admitted');
    expect((await rowsIn(one)).map(({ nonce }) => nonce)).toEqual(['first', 'third', 'fourth']);
  });

  it('does not undo others that were asked for at the same time', async () => {
    const one = await start();
    disk(`create trigger partly before insert on admissions when new.nonce = 'refused' begin
      select raise(abort, 'the disk is full'); end`);
    const nonces = ['good', 'refused', 'also good'].map((nonce) => nonceOf(one.store, nonce));
    const asked = nonces.map((nonce) => admit(one.store, { nonce }).catch(({ message }: Error) => message));
    expect(await Promise.all(asked)).toEqual(['admitted', expect.stringContaining('the disk is full'), 'admitted']);
    expect(heldIn(one)).toBe(2);
    expect((await rowsIn(one)).map(({ nonce }) => nonce)).toEqual(['good', 'also good']);
  });
});

describe('the memory of used nonces', () => {
  it('R11 is bounded by rate times lifetime over a million sign-ins', () => {
    const nonces = new Recent<string>(360_000);
    const [perSecond, seconds] = [100, 10_000];
    let largest = 0;
    for (let second = 0; second < seconds; second++) {
      for (let index = 0; index < perSecond; index++) nonces.set(`${second}-${index}`, 'o', second * 1000);
      if (second % 60 === 0) largest = Math.max(largest, nonces.size);
    }
    expect(largest).toBeLessThanOrEqual(perSecond * 2 * 360);
  });

  it.each([0, 359])('never forgets a nonce that a clock could still accept, %s s after another', async (seconds) => {
    const { store } = await start();
    await store.useNonce(nonceOf(store), 'other');
    elapse(seconds * 1_000 + 30_000);
    const use = nonceOf(store);
    elapse(-30_000);
    expect(await store.useNonce(use, 'first')).toBe('accepted');
    for (let second = -29; second <= 300; second++) {
      elapse(1_000);
      await store.useNonce(nonceOf(store), 'other');
      expect(await store.useNonce(use, 'second')).toBe('nonce_used');
    }
    elapse(1_000);
    expect(await store.useNonce(use, 'second')).toBe('nonce_expired');
  });
});
