import { setTimeout as sleep } from 'node:timers/promises';
import { newSigner } from '@asset-gateway/client/node';
import { HEADERS } from '@asset-gateway/protocol';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RedisServer, redisSuite, startRedis } from '../kit/redis.ts';
import type { SellingGateway } from '../kit/selling-gateway.ts';
import { startTcpProxy, type TcpProxy } from '../kit/tcp-proxy.ts';
import { callOf, send } from '../payments/calls.ts';
import { MAINNET, spendingHeader, startCreditGateway } from './gateway.ts';

const CALLS = 12;
const call = callOf('rpc.mainnet.helius.getBalance');

redisSuite('a call by signature and Redis', () => {
  const signer = newSigner();
  const account = `{gw:purchases}:account:${MAINNET}:${signer.address}`;
  let redis: RedisServer;
  let proxy: TcpProxy;
  let gateway: SellingGateway;
  /** What was asked before anything was answered, in turn: each is a round trip. */
  let turns: string[] = [];
  beforeAll(async () => {
    redis = await startRedis({ appendonly: 'yes' });
    proxy = await startTcpProxy(redis.port);
    const variables = { REDIS_URL: `redis://127.0.0.1:${proxy.port}`, GATEWAY_SECRET: 's'.repeat(32) };
    gateway = await startCreditGateway({}, variables);
    const funded = { grantedMicros: 1_000_000, spentMicros: 0, holds: [], owed: [], movements: [] };
    await redis.command('HSET', account, 'version', 'funded', 'text', JSON.stringify(funded));
    let isAnswered = true;
    proxy.overhear = (asked) => {
      if (isAnswered) turns.push(String(asked));
      else turns.push(`${turns.pop()}${asked}`);
      isAnswered = false;
    };
    proxy.meddle = (reply) => {
      isAnswered = true;
      return reply;
    };
  });
  afterAll(async () => {
    await gateway.stop();
    await proxy.close();
    await redis.stop();
  });

  const isDelivered = async () => {
    const text = await redis.command('HGET', account, 'text');
    return (JSON.parse(String(text)) as { owed: readonly unknown[] }).owed.length === 0;
  };

  it('takes four round trips before its answer and one after it', async () => {
    const seen: (readonly string[])[] = [];
    while (seen.length < CALLS) {
      const header = await spendingHeader(gateway, call, signer);
      turns = [];
      const { status } = await send(gateway, call, { [HEADERS.signIn]: header });
      // A busy machine may be too late for Redis.
      if (status === 503) continue;
      expect(status).toBe(200);
      while (!(await isDelivered())) await sleep(5);
      seen.push(turns);
    }
    // What a node asks of its own accord, every second, can only add to some of them.
    const [least = []] = seen.sort((one, other) => one.length - other.length);
    // Its entry in the journal goes with the charge, and the answer after that.
    const charging = least.findIndex((asked) => asked.includes('"feeLamports"'));
    expect([charging + 1, least.length - charging - 1]).toEqual([4, 1]);
  });
});
