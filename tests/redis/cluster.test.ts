import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Budget } from '../../packages/gateway/src/budget/store.ts';
import { openRedis, type RedisState } from '../../packages/gateway/src/compose/redis.ts';
import { freePort } from '../http/ports.ts';
import { type RedisServer, redisSuite, startRedis } from '../kit/redis.ts';
import { newPayment, REFUSED, SETTLED } from '../payments/forge-records.ts';
import { ROOM } from '../stores/room.ts';

const budget: Budget = { key: 'tokens:key', limit: 5, windowMs: 60_000, inFlightMs: 10_000 };
const second: Budget = { key: 'helius:mainnet:rpc:key', limit: 5, windowMs: 1_000, inFlightMs: 0, fromDispatch: true };
/** What stays until it is moved: clocks and epochs, what is open, and lists that empty themselves. */
const LASTING = /:(?:state|open|answers|sizes|journal)$/;

redisSuite('a Redis in cluster mode', () => {
  let redis: RedisServer;
  let state: RedisState;
  beforeAll(async () => {
    // Its own choice, 10,000 beyond the other one, is among those that systems give out by themselves.
    const busPort = String(await freePort());
    redis = await startRedis({ 'cluster-enabled': 'yes', 'cluster-port': busPort });
    await redis.command('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
    while (!String(await redis.command('CLUSTER', 'INFO')).includes('cluster_state:ok')) await sleep(20);
    state = await openRedis(redis.url);
    await state.connect(() => undefined);
    await useBudgets();
    await usePayments();
    await useFees();
    await useCache();
  });
  afterAll(async () => {
    await state.close();
    await redis.stop();
  });

  async function useBudgets(): Promise<void> {
    const { store } = state;
    const issuedAtSeconds = Math.floor(store.now() / 1000);
    const nonceOf = (nonce: string) => ({ nonce, issuedAtSeconds, epoch: store.epoch() ?? '' });
    for (const each of [budget, second]) {
      const nonce = each === budget ? { nonce: nonceOf('one') } : {};
      expect((await store.admit({ budget: each, owner: 'me', room: ROOM, ...nonce })).kind).toBe('admitted');
      store.complete(each, 'me');
    }
    expect(await store.burn(nonceOf('two'), 'me')).toBe('burnt');
    await store.pause(budget, 1_000);
    expect((await store.admit({ budget, owner: 'you', room: ROOM })).kind).toBe('paused');
  }

  /** One payment in every state. */
  async function usePayments(): Promise<void> {
    const { payments } = state;
    const all = Array.from({ length: 7 }, () => newPayment());
    const [reserved, settling, open, settled, refused, adopted, returned] = all as [(typeof all)[0], ...typeof all];
    for (const payment of all) {
      expect(await payments.reserve(payment)).toBe('reserved');
      await payments.called(payment.key);
      if (![reserved, adopted, returned].includes(payment)) {
        await payments.settling(payment.key, payment.owner, { answer: '1', signature: 's', height: 1 });
      }
    }
    await payments.unresolved(open?.key ?? '');
    await payments.resolve(settled?.key ?? '', SETTLED);
    await payments.delivered(settled?.key ?? '');
    await payments.keep(settled?.key ?? '', '2');
    await payments.resolve(refused?.key ?? '', REFUSED);
    if (adopted) await payments.adopt(adopted, 'found');
    await payments.release(returned?.key ?? '', returned?.owner ?? '');
    const progress = await Promise.all(all.map(async ({ key }) => (await payments.find(key))?.progress));
    expect(progress).toEqual(['reserved', 'settling', 'unresolved', 'settled', 'refused', 'settled', undefined]);
    expect((await payments.open()).map(({ key }) => key)).toEqual([open?.key]);
    expect((await payments.owed(settling?.payer ?? '', settling?.requestHash ?? ''))?.key).toBe(settling?.key);
    expect(await payments.answer(settled?.key ?? '')).toBe('2');
    expect(await payments.calls(settled?.key ?? '')).toBe(1);
  }

  /** A refusal of a fee payer who has spent nothing, and what is counted. */
  async function useFees(): Promise<void> {
    const [poor, rich] = [0, 10].map((limit) => ({ feePayer: `with ${limit}`, limit }));
    const fee = { key: 'payment', lamports: 10, isNewPayer: false };
    if (poor) expect(await state.fees.hold(poor, fee)).toBe(false);
    if (!rich) return;
    expect([await state.fees.fits(rich, fee), await state.fees.hold(rich, fee)]).toEqual([true, true]);
    await state.fees.spend(rich, fee);
    await state.fees.settle(rich.feePayer, fee.key);
    await state.fees.release(rich.feePayer, 'another');
    await state.fees.expire(rich.feePayer, 'another');
  }

  async function useCache(): Promise<void> {
    const now = () => performance.now();
    const entries = state.openShared({ secrets: ['s'.repeat(32)], scope: 'tokens', leaseMs: 13_000, now });
    const keys = ['one', 'two', 'three'].map((id) => ({ id, freshSeconds: 60, maxStaleSeconds: 300 }));
    expect((await entries.claim(keys, 'me')).leased.size).toBe(3);
    const written = keys.slice(0, 2).map((key) => ({ key, fetchedAtMs: now(), json: '1' }));
    await entries.write(written, 'me');
    expect((await entries.read(keys)).size).toBe(2);
    await entries.giveBack(keys, 'you');
  }

  it('R10 takes every step, for all keys of one have one slot', async () => {
    const keys = (await redis.command('KEYS', '*')) as string[];
    const slots = new Map<string, Set<unknown>>();
    for (const key of keys) {
      const tag = /^\{gw:([^{}]+)\}:./.exec(key)?.[1] ?? 'none';
      const known = slots.get(tag) ?? new Set();
      slots.set(tag, known.add(await redis.command('CLUSTER', 'KEYSLOT', key)));
    }
    expect([...slots.keys()].sort()).toEqual(['budgets', 'cache', 'fees', 'purchases']);
    for (const each of slots.values()) expect(each.size).toBe(1);
  });

  describe('R11 every key', () => {
    it('R11 expires by itself, but for those that last', async () => {
      const keys = (await redis.command('KEYS', '*')) as string[];
      const lasting: string[] = [];
      for (const key of keys) if ((await redis.command('PTTL', key)) === -1) lasting.push(key);
      const openKeys = (await redis.command('ZRANGE', '{gw:purchases}:open', '0', '-1')) as string[];
      const isOpen = (key: string) => openKeys.some((open) => key.endsWith(open)) || key.includes(':due:');
      expect(openKeys).toHaveLength(2);
      expect(lasting.filter((key) => !LASTING.test(key) && !isOpen(key))).toEqual([]);
    });
  });
});
