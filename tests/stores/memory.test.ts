import { describe, expect, it } from 'vitest';
import { MemoryStore } from '../../packages/gateway/src/budget/memory-store.ts';
import type { Budget } from '../../packages/gateway/src/budget/store.ts';
import { UsedNonces } from '../../packages/gateway/src/budget/used-nonces.ts';
import { storeContract } from './contract.ts';
import { ROOM } from './room.ts';

storeContract('memory', async () => {
  let now = 1_790_000_000_000;
  return {
    store: new MemoryStore({ now: () => now, epoch: 'e' }),
    elapse: async (milliseconds) => {
      now += milliseconds;
    },
    stop: async () => undefined,
  };
});

it('a slot from before a restart that frees late does not keep the later ones from freeing', async () => {
  let now = 1_790_000_000_000;
  const budget = { key: 'b', limit: 2, windowMs: 100, inFlightMs: 0 };
  const held = new Map([['b', [{ owner: 'restored', freesAtMs: now + 600_000 }]]]);
  const store = new MemoryStore({ now: () => now, epoch: 'e', held });
  const take = async (owner: string) => (await store.admit({ budget, owner, room: ROOM })).kind;
  expect([await take('one'), await take('two')]).toEqual(['admitted', 'limited']);
  now += 100;
  expect(await take('two')).toBe('admitted');
});

describe('the memory of used nonces', () => {
  it('R11 is bounded by rate times lifetime over a million sign-ins', () => {
    const nonces = new UsedNonces('e');
    const [perSecond, seconds] = [100, 10_000];
    let largest = 0;
    for (let second = 0; second < seconds; second++) {
      for (let index = 0; index < perSecond; index++) {
        nonces.remember({ nonce: `${second}-${index}`, issuedAtSeconds: second, epoch: 'e' }, 'o', second * 1000);
      }
      if (second % 60 === 0) largest = Math.max(largest, nonces.size);
    }
    expect(largest).toBeLessThanOrEqual(perSecond * (360 + 2 * 60));
  });

  it('never forgets a nonce that a clock could still accept', () => {
    const nonces = new UsedNonces('e');
    const use = { nonce: 'n', issuedAtSeconds: 1000, epoch: 'e' };
    nonces.remember(use, 'first', 1000_000 - 30_000);
    for (let second = 971; second <= 1300; second++) {
      nonces.remember({ nonce: `other ${second}`, issuedAtSeconds: second, epoch: 'e' }, 'o', second * 1000);
      expect(nonces.judge(use, 'second', second * 1000)).toBe('nonce_used');
    }
    expect(nonces.judge(use, 'second', 1_301_000)).toBe('nonce_expired');
  });
});

describe('a slot that cannot be kept', () => {
  const budget: Budget = { key: 'b', limit: 2, windowMs: 1000, inFlightMs: 1000 };

  it('is refused, stays held, and is kept when its owner asks again', async () => {
    let broken = true;
    const kept: string[] = [];
    const store = new MemoryStore({
      now: () => 1_790_000_000_000,
      epoch: 'e',
      keep: (_, slot) => {
        if (broken) throw new Error('disk full');
        kept.push(slot.owner);
      },
    });
    const attempt = { budget, owner: 'mine', room: ROOM };
    await expect(store.admit(attempt)).rejects.toThrow('disk full');
    expect(store.view(budget).left).toBe(1);
    broken = false;
    expect((await store.admit(attempt)).kind).toBe('admitted');
    expect(kept).toEqual(['mine']);
    expect(store.view(budget).left).toBe(1);
  });
});
