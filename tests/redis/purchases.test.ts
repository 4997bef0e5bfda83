import type { RunningGateway } from '@asset-gateway/gateway';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { LEASE_MS } from '../../packages/gateway/src/payments/store/redis.ts';
import { sleep } from '../budget/history.ts';
import { noteTime, ownTime } from '../kit/event-loop.ts';
import { type RedisServer, redisSuite, startRedis } from '../kit/redis.ts';
import { rounds } from '../kit/rounds.ts';
import {
  ask,
  askUntilDecided,
  type Buyer,
  newBuyer,
  newPath,
  type Reply,
  receiptIn,
  until,
} from '../payments/fault-buyer.ts';
import { expectServedOnce } from '../payments/fault-story.ts';
import { NO_HANG_MS } from './asking.ts';
import { type Fleet, openFleet } from './fleet.ts';

const LONG = { timeout: 120_000 };
noteTime();

redisSuite('a purchase whose Redis fails', () => {
  let redis: RedisServer;
  let fleet: Fleet;
  let gateway: RunningGateway;
  let buyer: Buyer;
  let onStep: (step: string) => void;
  let steps: string[];

  beforeAll(async () => {
    redis = await startRedis();
    fleet = await openFleet({ redisUrl: redis.url, paid: true, onStep: (step) => onStep(step) });
    gateway = await fleet.start();
  });
  beforeEach(async () => {
    steps = [];
    onStep = (step) => void steps.push(step);
    const warmUp = gateway.url + newPath();
    buyer = await newBuyer(solana().mainnet);
    await bought(warmUp, await buyer.pay(warmUp));
    buyer = await newBuyer(solana().mainnet);
  });
  afterAll(async () => {
    await fleet.close();
    await redis.stop();
  });

  const solana = () => {
    if (!fleet.solana) throw new Error('nothing is for sale');
    return fleet.solana;
  };
  const transfers = () => solana().mainnet.transfers.filter(({ from }) => from === buyer.address).length;
  const calls = () => solana().provider.arrivals.length;

  /**
   * Lost data closes the budget for its second; then the same payment is good. What could not be given back stays reserved for
   * a lease, on a busy machine several times.
   */
  async function bought(url: string, payment: string): Promise<Reply> {
    for (;;) {
      const reply = await askUntilDecided(url, payment, 10 * LEASE_MS);
      if (reply.status !== 429) return reply;
      await sleep(100);
    }
  }

  async function timed(asked: Promise<Reply>): Promise<{ readonly reply: Reply; readonly ms: number }> {
    const sinceMs = performance.now();
    return { reply: await asked, ms: ownTime(sinceMs) };
  }

  it('R2 before anything was reserved: refused in time and unused, and bought once it is back', LONG, async () => {
    for (let round = 0; round < rounds(20); round++) {
      const url = gateway.url + newPath();
      const before = { transfers: transfers(), calls: calls() };
      await redis.kill();
      expect((await ask(url)).status).toBe(402);
      const payment = await buyer.pay(url);
      const { reply, ms } = await timed(ask(url, payment));
      expect([reply.status, reply.code, reply.headers.get('retry-after')]).toEqual([503, 'state_unavailable', '2']);
      expect(ms).toBeLessThan(NO_HANG_MS);
      expect({ transfers: transfers(), calls: calls() }).toEqual(before);
      await redis.start();
      const late = await bought(url, payment);
      expect([late.status, late.isReplayed]).toEqual([200, false]);
      expect(transfers()).toBe(before.transfers + 1);
    }
  });

  it(
    'R3 frozen when its fee is to be set aside: refused, no upstream call, nothing paid; then it buys',
    LONG,
    async () => {
      const url = gateway.url + newPath();
      const payment = await buyer.pay(url);
      const before = calls();
      onStep = (step) => {
        if (step === 'reserve') redis.freeze();
      };
      const { reply, ms } = await timed(ask(url, payment));
      onStep = () => undefined;
      redis.thaw();
      expect([reply.status, reply.code]).toEqual([503, 'state_unavailable']);
      expect(ms).toBeLessThan(NO_HANG_MS);
      expect([transfers(), calls()]).toEqual([0, before]);
      expect([(await bought(url, payment)).status, transfers()]).toEqual([200, 1]);
    },
  );

  it('R3 frozen between upstream and settling: nothing is paid, then or when it thaws', LONG, async () => {
    const url = gateway.url + newPath();
    const payment = await buyer.pay(url);
    onStep = (step) => {
      if (step === 'upstream') redis.freeze();
    };
    const { reply, ms } = await timed(ask(url, payment));
    onStep = () => undefined;
    expect([reply.status, reply.code]).toEqual([503, 'state_unavailable']);
    expect(reply.text).toContain('"state":"pending"');
    expect(ms).toBeLessThan(NO_HANG_MS);
    expect(transfers()).toBe(0);
    await sleep(1_000);
    redis.thaw();
    const keys = (await redis.command('KEYS', '{gw:purchases}:record:*')) as string[];
    const records = await Promise.all(keys.map((key) => redis.command('HGET', key, 'text')));
    expect(records.join()).not.toContain('"progress":"settling"');
    expect(transfers()).toBe(0);
    expect([(await bought(url, payment)).status, transfers()]).toEqual([200, 1]);
  });

  it('R3 frozen when it is to be taken back: the payment is not called unused, for another node may send it', async () => {
    const { mainnet, provider } = solana();
    const url = gateway.url + newPath();
    const payment = await buyer.pay(url);
    const before = calls();
    onStep = (step) => {
      if (step !== 'store') return;
      redis.freeze();
      Object.assign(mainnet.faults, { status: 503, only: new Set(['simulateTransaction']) });
    };
    const reply = await ask(url, payment);
    onStep = () => undefined;
    mainnet.faults.reset();
    await sleep(1_000);
    redis.thaw();
    expect([reply.status, reply.code]).toEqual([503, 'settlement_pending']);
    expect(reply.text).toContain('"state":"pending"');
    await until(() => transfers() === 1, LEASE_MS * 3);
    const again = await bought(url, payment);
    expect([again.status, again.isReplayed, transfers()]).toEqual([200, true, 1]);
    expect(provider.arrivals.length - before).toBe(1);
  }, 40_000);

  it('R2 killed once the answer is written: what was paid for is served, also when it is asked for again', async () => {
    const url = gateway.url + newPath();
    const payment = await buyer.pay(url);
    onStep = (step) => {
      if (step === 'store') void redis.kill();
    };
    const first = await ask(url, payment);
    onStep = () => undefined;
    expect([first.status, first.isReplayed]).toEqual([200, false]);
    expect(receiptIn(first)).toMatchObject({ success: true, payer: buyer.address });
    expect((await ask(url, payment)).code).toBe('state_unavailable');
    await redis.start();
    const again = await bought(url, payment);
    expect([again.status, again.isReplayed, again.text]).toEqual([200, true, first.text]);
    expectServedOnce({ replies: [first, again], calls: [1, 1], transfers: transfers() });
  });

  it('R2 killed with an append-only file: what was bought is still there', async () => {
    const lasting = await startRedis({ appendonly: 'yes', appendfsync: 'always' });
    const other = await fleet.start({ REDIS_URL: lasting.url });
    const url = other.url + newPath();
    const payment = await buyer.pay(url);
    const first = await bought(url, payment);
    const before = calls();
    await lasting.kill();
    await lasting.start();
    const again = await bought(url, payment);
    expect([again.status, again.isReplayed, again.text]).toEqual([200, true, first.text]);
    expect([transfers(), calls()]).toEqual([1, before]);
    await other.stop();
    await lasting.stop();
  });

  it('R4 flushed after it was settled: the same payment buys nothing else, and is never settled again', async () => {
    const [url, other] = [gateway.url + newPath(), gateway.url + newPath()];
    const payment = await buyer.pay(url);
    const first = await bought(url, payment);
    expect(first.status).toBe(200);
    await redis.command('FLUSHALL');
    expect((await ask(other, payment)).status).toBe(402);
    const again = await bought(url, payment);
    expectServedOnce({ replies: [first, again], calls: [1, 1], transfers: transfers() });
  });

  it('R8 out of memory: refused, and bought when there is room', async () => {
    const url = gateway.url + newPath();
    const payment = await buyer.pay(url);
    const before = calls();
    await redis.command('CONFIG', 'SET', 'maxmemory', '1');
    expect((await ask(url, payment)).code).toBe('state_unavailable');
    expect([transfers(), calls()]).toEqual([0, before]);
    await redis.command('CONFIG', 'SET', 'maxmemory', '0');
    expect((await bought(url, payment)).status).toBe(200);
    expect(transfers()).toBe(1);
  });
});
