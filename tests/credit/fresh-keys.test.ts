import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RedisServer, redisSuite, startRedis } from '../kit/redis.ts';
import type { SellingGateway } from '../kit/selling-gateway.ts';
import { callOf, sendPaid } from '../payments/calls.ts';
import { openWallet } from '../payments/wallets.ts';
import { buyCredit, buying, paymentOf, startCreditGateway } from './gateway.ts';

const CALL = callOf('rpc.mainnet.helius.getBalance');
const BUNDLE = 50_000;

redisSuite('key pairs without money that sign bundles', () => {
  let redis: RedisServer;
  let gateway: SellingGateway;
  beforeAll(async () => {
    redis = await startRedis({ appendonly: 'yes' });
    gateway = await startCreditGateway({}, { REDIS_URL: redis.url, GATEWAY_SECRET: 's'.repeat(32) });
  });
  afterAll(async () => {
    await gateway.stop();
    await redis.stop();
  });

  const accounts = async () => (await redis.command('KEYS', '*account:*')) as string[];

  it('W8 are refused by their verification and leave no account behind', async () => {
    for (const call of [CALL, buying('mainnet')]) {
      for (let count = 0; count < 5; count++) {
        const payment = await paymentOf(gateway, call, await openWallet(gateway.solana, 1n), BUNDLE);
        expect((await sendPaid(gateway, call, payment)).status).toBe(402);
      }
    }
    const { mainnet, provider } = gateway.solana;
    expect([mainnet.transfers.length, provider.arrivals.length, await accounts()]).toEqual([0, 0, []]);
  });

  it('W8 are told from wallets with money, whose account is kept when they have bought, and only then', async () => {
    const wallet = await openWallet(gateway.solana);
    gateway.solana.provider.faults.status = 500;
    const failed = await sendPaid(gateway, CALL, await paymentOf(gateway, CALL, wallet, BUNDLE));
    gateway.solana.provider.faults.reset();
    expect([failed.status, await accounts()]).toEqual([502, []]);
    expect((await buyCredit(gateway, wallet)).status).toBe(200);
    const [account = '', ...others] = await accounts();
    expect([account.includes(wallet.address), others, await redis.command('TTL', account)]).toEqual([true, [], -1]);
  });
});
