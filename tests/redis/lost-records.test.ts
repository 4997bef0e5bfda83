import { createClient, RESP_TYPES } from '@redis/client';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openRedis, type RedisState } from '../../packages/gateway/src/compose/redis.ts';
import { type RedisServer, redisSuite, startRedis } from '../kit/redis.ts';
import { startTcpProxy, type TcpProxy } from '../kit/tcp-proxy.ts';
import { newPayment } from '../payments/forge-records.ts';

const LONG = { timeout: 60_000 };
/** Longer than a request waits for Redis, and shorter than what nobody waits for. */
const SLOW_MS = 400;

redisSuite('V8 a Redis that forgets what a living node is settling', () => {
  let redis: RedisServer;
  let proxy: TcpProxy;
  let node: RedisState;
  let other: RedisState;
  beforeEach(async () => {
    redis = await startRedis();
    proxy = await startTcpProxy(redis.port);
    node = await openRedis(`redis://127.0.0.1:${proxy.port}`);
    other = await openRedis(redis.url);
    for (const { connect } of [node, other]) await connect(() => undefined);
  });
  afterEach(async () => {
    await node.close();
    await other.close();
    await proxy.close();
    await redis.stop();
  });

  async function begin() {
    const payment = newPayment();
    expect(await node.payments.reserve(payment)).toBe('reserved');
    const settle = () =>
      node.payments.settling(payment.key, payment.owner, { answer: '"paid for"', signature: 'told', height: 7 });
    return { ...payment, settle };
  }

  /** What another node sees of it. */
  const progressOf = async (key: string) => (await other.payments.find(key).catch(() => undefined))?.progress;
  const untilSeen = (key: string, progress: string) =>
    expect.poll(() => progressOf(key), { timeout: 20_000 }).toBe(progress);

  async function expectOwed({ key, payer, requestHash }: Awaited<ReturnType<typeof begin>>): Promise<void> {
    expect(await other.payments.find(key)).toMatchObject({ signature: 'told', height: 7 });
    expect(await other.payments.answer(key)).toBe('"paid for"');
    expect(await other.payments.reserve(newPayment({ payer, requestHash }))).toBe('owed');
  }

  it('V8 is told again, of a payment that is being settled', LONG, async () => {
    const payment = await begin();
    await payment.settle();
    await redis.command('FLUSHALL');
    await untilSeen(payment.key, 'settling');
    await expectOwed(payment);
  });

  it('V8 is told again, of a payment whose outcome the node has left open', LONG, async () => {
    const payment = await begin();
    await payment.settle();
    await node.payments.unresolved(payment.key);
    await redis.command('FLUSHALL');
    await untilSeen(payment.key, 'unresolved');
    await expectOwed(payment);
    await expect
      .poll(async () => (await other.payments.open()).map(({ key }) => key), { timeout: 5_000 })
      .toEqual([payment.key]);
  });

  it('V8 is told again when it did not listen at first', LONG, async () => {
    const payment = await begin();
    await payment.settle();
    proxy.delayMs = SLOW_MS;
    await redis.command('FLUSHALL');
    const epoch = () => redis.command('HGET', '{gw:purchases}:state', 'epoch');
    await expect.poll(epoch, { timeout: 10_000 }).not.toBeNull();
    await new Promise((resolve) => setTimeout(resolve, 2 * SLOW_MS));
    expect(await progressOf(payment.key)).toBeUndefined();
    proxy.delayMs = 0;
    await untilSeen(payment.key, 'settling');
    await expectOwed(payment);
  });

  it('V8 is told again when it comes back with what was before', LONG, async () => {
    const payment = await begin();
    const name = `{gw:purchases}:record:${payment.key}`;
    const client = createClient({ url: redis.url }).withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer });
    await client.connect();
    const reserved = await client.sendCommand<Buffer>(['DUMP', name]);
    await payment.settle();
    await client.sendCommand(['MULTI']);
    await client.sendCommand(['FLUSHALL']);
    await client.sendCommand(['RESTORE', name, '0', reserved]);
    await client.sendCommand(['EXEC']);
    client.destroy();
    await untilSeen(payment.key, 'settling');
    await expectOwed(payment);
  });
});
