import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Refusal } from '@asset-gateway/protocol';
import { expect, it } from 'vitest';
import type { Budget, NonceUse, Store } from '../../packages/gateway/src/budget/store.ts';
import type { Slot, Trail } from '../../packages/gateway/src/call.ts';
import { createSpending, InFlight } from '../../packages/gateway/src/stages/spend.ts';
import { inSuite } from '../kit/in-suite.ts';
import { redisSuite, startRedis } from '../kit/redis.ts';
import { openRedisState } from '../kit/redis-state.ts';
import { startTcpProxy } from '../kit/tcp-proxy.ts';
import { nonceOf } from '../stores/contract.ts';

const [LIMIT, IN_FLIGHT, HONEST] = [10, 64, 4];
/** The delay of every reply of Redis, so that requests of one turn overlap. */
const DELAY_MS = 50;

redisSuite('V13 concurrent requests', () => {
  const redis = inSuite(startRedis);
  const proxy = inSuite(() => startTcpProxy(redis.port));
  const node = inSuite(() => openRedisState(`redis://127.0.0.1:${proxy.port}`));
  const other = inSuite(() => openRedisState(redis.url));

  const newNonces = (count: number) => Array.from({ length: count }, () => nonceOf(node.store));

  async function useAt({ store }: { store: Store }, nonces: readonly NonceUse[]): Promise<readonly NonceUse[]> {
    for (const nonce of nonces) await store.burn(nonce, 'somebody');
    return nonces;
  }

  /** The outcomes of concurrent requests at a node with a fresh budget of `limit` slots. */
  async function spendTogether(limit: number, nonces: readonly NonceUse[]): Promise<string[]> {
    const budget: Budget = { key: randomUUID(), limit, windowMs: 60_000, inFlightMs: 10_000, lateMs: 5_000 };
    const room = new InFlight(IN_FLIGHT);
    const allowance = { ...budget, view: () => node.store.view(budget), judge: async () => undefined };
    const spending = createSpending({ store: node.store, allowance, room, randomId: randomUUID });
    const spend = (nonce: NonceUse): Promise<Slot> =>
      spending({ spend: (take) => take(nonce) }, { requestId: 'request' } as Trail)(budget);
    proxy.delayMs = DELAY_MS;
    const ends = await Promise.allSettled(nonces.map(spend));
    proxy.delayMs = 0;
    return ends.map((end) => (end.status === 'fulfilled' ? 'a slot' : codeOf(end.reason)));
  }

  /** The same, with other nonces if a reply was too late on a busy machine. */
  async function answersTo(limit: number, nonces: () => Promise<readonly NonceUse[]>) {
    for (let attempt = 0; attempt < 50; attempt++) {
      const asked = await nonces().catch(() => undefined);
      const answers = asked ? await spendTogether(limit, asked) : ['state_unavailable'];
      if (asked && !answers.includes('state_unavailable')) return { asked, answers };
      await pause(100);
    }
    throw new Error('the replies of Redis are too late');
  }

  const copiesOf = ([nonce]: readonly NonceUse[], count: number): NonceUse[] =>
    nonce ? Array.from({ length: count }, () => nonce) : [];

  it.each([
    ['40 copies of one used nonce', LIMIT, async () => copiesOf(await useAt(node, newNonces(1)), 40)],
    ['40 nonces that were used at another node', LIMIT, () => useAt(other, newNonces(40))],
    [
      '200 copies of one used nonce, with more slots than calls in flight',
      1_000,
      async () => copiesOf(await useAt(node, newNonces(1)), 200),
    ],
    ['200 nonces that were used, with more slots than calls in flight', 1_000, () => useAt(other, newNonces(200))],
  ])('V13 %s take nothing from honest sign-ins', async (_, limit, replays) => {
    const { answers } = await answersTo(limit, async () => [...(await replays()), ...newNonces(HONEST)]);
    expect(answers.slice(-HONEST)).toEqual(Array(HONEST).fill('a slot'));
    expect(new Set(answers.slice(0, -HONEST))).toEqual(new Set(['invalid_siwx_nonce']));
  });

  it('V13 copies of an unused nonce become one call', async () => {
    const { answers } = await answersTo(LIMIT, async () => copiesOf(newNonces(1), 40));
    expect(answers.toSorted()).toEqual(['a slot', ...Array(39).fill('invalid_siwx_nonce')]);
  });

  it.each([
    ['slots', LIMIT, LIMIT, 'rate_limited'],
    ['calls in flight', 1_000, IN_FLIGHT, 'overloaded'],
  ])('V13 honest requests up to the %s are served, and the others keep their sign-in', async (...row) => {
    const [, limit, through, refusal] = row;
    const { asked, answers } = await answersTo(limit, async () => newNonces(100));
    expect(answers.toSorted()).toEqual([...Array(through).fill('a slot'), ...Array(100 - through).fill(refusal)]);
    const refused = asked.filter((_, index) => answers[index] === refusal);
    const again = await spendTogether(1_000, refused.slice(0, IN_FLIGHT));
    expect(again.filter((answer) => answer !== 'a slot' && answer !== 'state_unavailable')).toEqual([]);
  });
});

const codeOf = (reason: unknown): string => (reason instanceof Refusal ? reason.code : String(reason));
