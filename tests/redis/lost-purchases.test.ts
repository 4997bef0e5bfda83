import type { RunningGateway } from '@asset-gateway/gateway';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { SolanaSandbox } from '../../packages/sandbox/src/solana-sandbox.ts';
import { sleep } from '../budget/history.ts';
import { type RedisServer, redisSuite, startRedis } from '../kit/redis.ts';
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
import { fillHistory, turnClocks } from '../payments/fault-history.ts';
import { type Fleet, openFleet } from './fleet.ts';

const LONG = { timeout: 60_000 };

redisSuite('V8 a Redis without an append-only file that loses its data between two calls of a payer', () => {
  let redis: RedisServer;
  let fleet: Fleet;
  let solana: SolanaSandbox;
  let gateway: RunningGateway;
  let buyer: Buyer;
  /** The one whose latest 1,000 transactions are of now. */
  let busyBuyer: Buyer;

  beforeAll(async () => {
    turnClocks();
    redis = await startRedis();
    fleet = await openFleet({ redisUrl: redis.url, paid: true });
    if (!fleet.solana) throw new Error('nothing is for sale');
    solana = fleet.solana;
    gateway = await fleet.start();
  });
  beforeEach(async () => {
    solana.mainnet.faults.reset();
    buyer = await newBuyer(solana.mainnet);
  });
  afterAll(async () => {
    await fleet.close();
    await redis.stop();
  });

  const transfers = () => solana.mainnet.transfers.filter(({ from }) => from === buyer.address).length;

  /** Pays by a new payment, as a client does that simply calls again. */
  async function callAgain(url: string): Promise<Reply> {
    const payment = await buyer.pay(url);
    for (;;) {
      const reply = await askUntilDecided(url, payment);
      if (reply.status !== 429) return reply;
      await sleep(100);
    }
  }

  const LOSSES: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['restarted', () => redis.kill().then(() => redis.start())],
    ['emptied', () => redis.command('FLUSHALL')],
  ];

  it.each(LOSSES)('V8 %s: what was paid for and not delivered is served, and charged once', LONG, async (_, lose) => {
    const url = gateway.url + newPath();
    // The answer to HEAD has no body: it is paid for and not delivered.
    const first = await ask(url, await buyer.pay(url), { method: 'HEAD' });
    expect([first.status, transfers()]).toEqual([200, 1]);
    await lose();
    const second = await callAgain(url);
    expect([second.status, second.isReplayed, transfers()]).toEqual([200, true, 1]);
    expect(receiptIn(second)).toMatchObject({ success: true, transaction: receiptIn(first).transaction });
    const third = await callAgain(url);
    expect([third.status, third.isReplayed, transfers()]).toEqual([200, false, 2]);
    expect((await callAgain(url)).isReplayed).toBe(false);
  });

  it('V8 emptied while a payment settles on another node: it is waited for, and charged once', LONG, async () => {
    const other = await fleet.start();
    const path = newPath();
    solana.mainnet.faults.confirmAfterMs = 6_000;
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
    await sleep(2_500);
    const waiting = await ask(other.url + path, payment);
    expect([waiting.status, waiting.code]).toEqual([503, 'settlement_pending']);
    const late = await askUntilDecided(other.url + path, payment);
    expect([late.status, late.isReplayed, transfers()]).toEqual([200, true, 1]);
    await other.stop();
  });

  it('V8 an earlier payment counts for its own request and its own payer only', LONG, async () => {
    const [url, other] = [gateway.url + newPath(), gateway.url + newPath()];
    await ask(url, await buyer.pay(url), { method: 'HEAD' });
    await redis.command('FLUSHALL');
    const stranger = await newBuyer(solana.mainnet);
    const elsewhere = await callAgain(other);
    expect([elsewhere.status, elsewhere.isReplayed, transfers()]).toEqual([200, false, 2]);
    const theirs = await askUntilDecided(url, await stranger.pay(url));
    expect([theirs.status, theirs.isReplayed]).toEqual([200, false]);
    const own = await callAgain(url);
    expect([own.status, own.isReplayed, transfers()]).toEqual([200, true, 2]);
  });

  it('V8 1,000 transactions of before hide nothing: an earlier payment counts, and others are sold', LONG, async () => {
    const url = gateway.url + newPath();
    await fillHistory(solana.mainnet, buyer, 'an hour ago');
    await ask(url, await buyer.pay(url), { method: 'HEAD' });
    await redis.command('FLUSHALL');
    const own = await callAgain(url);
    expect([own.status, own.isReplayed, transfers()]).toEqual([200, true, 1]);
    const other = await callAgain(gateway.url + newPath());
    expect([other.status, other.isReplayed, transfers()]).toEqual([200, false, 2]);
  });

  it('V8 1,000 newer transactions may hide one: nobody is charged until none can be owed any more', LONG, async () => {
    const url = gateway.url + newPath();
    await ask(url, await buyer.pay(url), { method: 'HEAD' });
    await redis.command('FLUSHALL');
    await fillHistory(solana.mainnet, buyer, 'now');
    const payment = await buyer.pay(url);
    await sleep(3_000);
    const reply = await ask(url, payment);
    expect([reply.status, reply.code, transfers()]).toEqual([503, 'settlement_pending', 1]);
    expect(reply.text).toContain('"state":"unused"');
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(500);
    const stranger = await newBuyer(solana.mainnet);
    expect((await askUntilDecided(url, await stranger.pay(url))).status).toBe(200);
    busyBuyer = buyer;
  });

  describe('with another Redis', () => {
    let another: RedisServer;
    beforeEach(async () => {
      another = await startRedis();
    });
    afterEach(() => another.stop());

    it('V8 that has lost nothing it sells at once, also to a payer with 1,000 transactions', LONG, async () => {
      const fresh = await fleet.start({ REDIS_URL: another.url });
      const url = fresh.url + newPath();
      const before = solana.mainnet.transfers.length;
      const reply = await ask(url, await busyBuyer.pay(url));
      expect([reply.status, reply.isReplayed, solana.mainnet.transfers.length - before]).toEqual([200, false, 1]);
      await fresh.stop();
    });

    it(
      'V8 a gateway that cannot search the chain charges nobody until no answer can be owed any more',
      LONG,
      async () => {
        const blind = await fleet.start({ REDIS_URL: another.url, PAYMENT_MEMO: 'off' });
        const url = blind.url + newPath();
        expect((await ask(url, await buyer.pay(url))).status).toBe(200);
        await another.command('FLUSHALL');
        await sleep(3_000);
        const reply = await ask(url, await buyer.pay(url));
        expect([reply.status, reply.code, transfers()]).toEqual([503, 'settlement_pending', 1]);
        expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(500);
        await blind.stop();
      },
    );
  });
});
