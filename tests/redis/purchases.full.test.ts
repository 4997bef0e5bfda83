import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { TIMES } from '../../packages/gateway/src/times.ts';
import { sleep } from '../budget/history.ts';
import { expectBooksInOrder } from '../kit/books.ts';
import { noteTime, ownTime } from '../kit/event-loop.ts';
import { inSuite } from '../kit/in-suite.ts';
import { postgresSuite, startPostgres } from '../kit/postgres.ts';
import { redisSuite, startRedis } from '../kit/redis.ts';
import { roundsOnEach } from '../kit/rounds.ts';
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
import { expectServedOnce } from '../payments/fault-process.ts';
import { NO_HANG_MS } from './asking.ts';
import { openFleet } from './fleet.ts';

const LONG = { timeout: 120_000 };
noteTime();

redisSuite('with Redis and', () => postgresSuite('PostgreSQL', suite));

function suite(): void {
  let buyer: Buyer;
  let earlier: Buyer;
  let onStep: (step: string) => void;
  const redis = inSuite(startRedis);
  const postgres = inSuite(startPostgres);
  const fleet = inSuite(() =>
    openFleet({ redisUrl: redis.url, databaseUrl: postgres.url(), onStep: (step) => onStep(step) }),
  );
  const gateway = inSuite(() => fleet.start());
  beforeAll(async () => {
    earlier = await newBuyer(solana().mainnet);
  });
  beforeEach(async () => {
    onStep = () => undefined;
    // Redis and PostgreSQL are back.
    const warmUp = gateway.url + newPath();
    await bought(warmUp, await earlier.pay(warmUp));
    buyer = await newBuyer(solana().mainnet);
  });
  afterAll(() => expectBooksInOrder({ url: postgres.url() }, solana().mainnet.transfers));

  const solana = () => {
    if (!fleet.solana) throw new Error('nothing is for sale');
    return fleet.solana;
  };
  const transfers = () => solana().mainnet.transfers.filter(({ from }) => from === buyer.address).length;
  const calls = () => solana().provider.arrivals.length;

  /** A Redis that lost its data closes the budget for a second. A reservation that was not released lasts for a lease. */
  async function bought(url: string, payment: string): Promise<Reply> {
    for (;;) {
      const reply = await askUntilDecided(url, payment, 10 * TIMES.leaseMs);
      if (reply.status !== 429) return reply;
      await sleep(100);
    }
  }

  async function timed(asked: Promise<Reply>): Promise<{ readonly reply: Reply; readonly ms: number }> {
    const sinceMs = performance.now();
    return { reply: await asked, ms: ownTime(sinceMs) };
  }

  /** Sends a payment to a gateway whose server fails after a step. */
  async function failing(step: string, fail: () => void) {
    const url = gateway.url + newPath();
    const payment = await buyer.pay(url);
    onStep = (taken) => {
      if (taken === step) fail();
    };
    const { reply, ms } = await timed(ask(url, payment));
    onStep = () => undefined;
    return { url, payment, reply, ms };
  }

  const servers = [
    ['Redis', () => redis],
    ['PostgreSQL', () => postgres],
  ] as const;

  const setMemory = (limit: string) => redis.command('CONFIG', 'SET', 'maxmemory', limit);
  const outages = [
    ['R2 Redis down', () => redis.kill(), () => redis.start()],
    ['R8 Redis out of memory', () => setMemory('1'), () => setMemory('0')],
  ] as const;

  it.each(outages)('%s: refused in time and unused, and bought when it is back', LONG, async (_, fail, mend) => {
    for (let round = 0; round < roundsOnEach(20); round++) {
      const url = gateway.url + newPath();
      const before = { transfers: transfers(), calls: calls() };
      await fail();
      expect((await ask(url)).status).toBe(402);
      const payment = await buyer.pay(url);
      const { reply, ms } = await timed(ask(url, payment));
      expect([reply.status, reply.code, reply.headers.get('retry-after')]).toEqual([503, 'state_unavailable', '2']);
      expect(ms).toBeLessThan(NO_HANG_MS);
      expect({ transfers: transfers(), calls: calls() }).toEqual(before);
      await mend();
      // A busy machine may answer the first one with 503, and the next one from the stored answer.
      expect((await bought(url, payment)).status).toBe(200);
      expect(transfers()).toBe(before.transfers + 1);
    }
  });

  it('R3 Redis frozen after the upstream call: the purchase goes on', LONG, async () => {
    const { reply, ms } = await failing('upstream', () => redis.freeze());
    redis.thaw();
    expect([reply.status, reply.isReplayed, transfers()]).toEqual([200, false, 1]);
    expect(ms).toBeLessThan(NO_HANG_MS);
  });

  it.each(['reserve', 'upstream'])(
    'PostgreSQL frozen after %s: nothing is paid, then or when it thaws, and the payment is good',
    LONG,
    async (step) => {
      const { url, payment, reply, ms } = await failing(step, () => postgres.freeze());
      expect([reply.status, reply.code]).toEqual([503, 'state_unavailable']);
      expect(reply.text).toContain('"state":"pending"');
      expect(ms).toBeLessThan(NO_HANG_MS);
      await sleep(1_000);
      postgres.thaw();
      const open = await until(async () => (await postgres.query('select 1 from open_payments')).length === 0);
      expect([open, transfers()]).toEqual([undefined, 0]);
      expect([(await bought(url, payment)).status, transfers()]).toEqual([200, 1]);
    },
  );

  it(
    'PostgreSQL frozen before a payment is withdrawn: it is not called unused, since another node may send it',
    LONG,
    async () => {
      const { mainnet, provider } = solana();
      const before = calls();
      const { url, payment, reply } = await failing('store', () => {
        postgres.freeze();
        Object.assign(mainnet.faults, { status: 429, only: new Set(['sendTransaction']) });
      });
      mainnet.faults.reset();
      await sleep(1_000);
      postgres.thaw();
      expect([reply.status, reply.code]).toEqual([503, 'settlement_pending']);
      expect(reply.text).toContain('"state":"pending"');
      await until(() => transfers() === 1, TIMES.leaseMs * 3);
      const again = await bought(url, payment);
      expect([again.status, again.isReplayed, transfers()]).toEqual([200, true, 1]);
      expect(provider.arrivals.length - before).toBe(1);
    },
  );

  it.each(servers)(
    '%s killed after the answer is stored: the paid answer is served, and served again',
    LONG,
    async (_, server) => {
      const { url, payment, reply: first } = await failing('store', () => void server().kill());
      expect([first.status, first.isReplayed]).toEqual([200, false]);
      expect(receiptIn(first)).toMatchObject({ success: true, payer: buyer.address });
      await server().start();
      const again = await bought(url, payment);
      expect([again.status, again.isReplayed, again.text]).toEqual([200, true, first.text]);
      expectServedOnce({ replies: [first, again], transfers: transfers() });
    },
  );

  /** Pays with a new payment, as by a client that calls again. A Redis that lost its data closes the budget for a second. */
  async function callAgain(url: string): Promise<Reply> {
    return bought(url, await buyer.pay(url));
  }

  it('R4 V8 Redis emptied: a paid answer that was not delivered is served, and charged once', LONG, async () => {
    const [url, other] = [gateway.url + newPath(), gateway.url + newPath()];
    const payment = await buyer.pay(url);
    // A HEAD response has no body: it is paid for and not delivered.
    const first = await askUntilDecided(url, payment, undefined, { method: 'HEAD' });
    expect([first.status, transfers()]).toEqual([200, 1]);
    await redis.command('FLUSHALL');
    expect((await ask(other, payment)).code).toBe('payment_already_used');
    const second = await callAgain(url);
    expect([second.status, second.isReplayed, transfers()]).toEqual([200, true, 1]);
    expect(receiptIn(second)).toMatchObject({ success: true, transaction: receiptIn(first).transaction });
    let third = await callAgain(url);
    // The delivery of the second is noted soon, on a busy machine later.
    for (; third.isReplayed; third = await callAgain(url)) await sleep(100);
    expect([third.status, transfers()]).toEqual([200, 2]);
  });

  it('V8 emptied while a payment settles on another node: it is waited for, and charged once', LONG, async () => {
    const other = await fleet.start();
    const path = newPath();
    solana().mainnet.faults.confirmAfterMs = 6_000;
    const client = new AbortController();
    const first = ask(gateway.url + path, await buyer.pay(gateway.url + path), { signal: client.signal });
    const lost = first.catch(() => 'lost');
    await until(() => transfers() === 1);
    client.abort();
    expect(await lost).toBe('lost');
    await redis.command('FLUSHALL');
    const payment = await buyer.pay(other.url + path);
    const early = await ask(other.url + path, payment);
    expect([early.status, early.code]).toEqual([503, 'settlement_pending']);
    expect(early.text).toContain('"state":"unused"');
    const late = await askUntilDecided(other.url + path, payment);
    expect([late.status, late.isReplayed, transfers()]).toEqual([200, true, 1]);
    await other.stop();
  });
}
