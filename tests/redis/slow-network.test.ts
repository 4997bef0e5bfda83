import { afterAll, beforeAll, expect, it } from 'vitest';
import { openRedis } from '../../packages/gateway/src/compose/redis.ts';
import { type RedisServer, redisSuite, startRedis } from '../kit/redis.ts';
import { isFull } from '../kit/rounds.ts';
import { startTcpProxy, type TcpProxy } from '../kit/tcp-proxy.ts';
import { newPayment, SETTLED } from '../payments/forge-records.ts';

const MIB = 1024 * 1024;

redisSuite('Redis at the end of a network of 20 MB/s', () => {
  let redis: RedisServer;
  let proxy: TcpProxy;
  beforeAll(async () => {
    redis = await startRedis();
    proxy = await startTcpProxy(Number(new URL(redis.url).port));
    proxy.bytesPerMs = 20_000;
  });
  afterAll(async () => {
    await proxy.close();
    await redis.stop();
  });

  // How fast bytes travel is only as sure as the machine is idle.
  it.skipIf(!isFull)('keeps an answer of 5 MiB before the payment for it is settled', async () => {
    const { payments, connect, close } = await openRedis(`redis://127.0.0.1:${proxy.port}`);
    await connect(() => undefined);
    const payment = newPayment();
    const answer = JSON.stringify('x'.repeat(5 * MIB - 10));
    expect(await payments.reserve(payment)).toBe('reserved');
    expect(await payments.settling(payment.key, payment.owner, { answer })).toBe('settling');
    await payments.resolve(payment.key, SETTLED);
    expect((await payments.answer(payment.key))?.length).toBe(answer.length);
    await close();
  });
});
