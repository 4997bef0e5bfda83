import type { RunningGateway } from '@asset-gateway/gateway';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { SolanaSandbox } from '../../packages/sandbox/src/solana-sandbox.ts';
import { sleep } from '../budget/history.ts';
import { openPostgresDatabase, postgresSuite } from '../kit/postgres.ts';
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
import { type Fleet, openFleet } from './fleet.ts';

const LONG = { timeout: 60_000 };

redisSuite('V8 a Redis that loses its data between two calls of a payer', () =>
  postgresSuite('with PostgreSQL', suite),
);

function suite(): void {
  let redis: RedisServer;
  let database: Awaited<ReturnType<typeof openPostgresDatabase>>;
  let fleet: Fleet;
  let solana: SolanaSandbox;
  let gateway: RunningGateway;
  let buyer: Buyer;

  beforeAll(async () => {
    redis = await startRedis();
    database = await openPostgresDatabase();
    fleet = await openFleet({ redisUrl: redis.url, databaseUrl: database.url });
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
    await database.drop();
    await redis.stop();
  });

  const transfers = () => solana.mainnet.transfers.filter(({ from }) => from === buyer.address).length;

  /** Pays with a new payment, as by a client that calls again. A Redis that lost its data closes the budget for a second. */
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
    // A HEAD response has no body: it is paid for and not delivered.
    const first = await askUntilDecided(url, await buyer.pay(url), undefined, { method: 'HEAD' });
    expect([first.status, transfers()]).toEqual([200, 1]);
    await lose();
    const second = await callAgain(url);
    expect([second.status, second.isReplayed, transfers()]).toEqual([200, true, 1]);
    expect(receiptIn(second)).toMatchObject({ success: true, transaction: receiptIn(first).transaction });
    const third = await callAgain(url);
    expect([third.status, third.isReplayed, transfers()]).toEqual([200, false, 2]);
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
    const late = await askUntilDecided(other.url + path, payment);
    expect([late.status, late.isReplayed, transfers()]).toEqual([200, true, 1]);
    await other.stop();
  });
}
