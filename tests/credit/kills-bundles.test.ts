import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RedisServer, redisSuite, startRedis } from '../kit/redis.ts';
import { isFull } from '../kit/rounds.ts';
import type { Street } from '../payments/fault-process.ts';
import { openWallet } from '../payments/wallets.ts';
import { compileGateway } from '../process/program.ts';
import { accountOf, askUntilDecided, KILLS, killedAfter, openCreditStreet, paymentFor } from './kills.ts';

const PRICE = 500;
const BUNDLE = 50_000;
const STEPS = ['reserve', 'verify', 'upstream', 'store', 'settle', 'record', 'respond'];

/** Short rounds kill before an entry is written in a folder, and after it on Redis. */
function suite(variables: () => object, shortStep: string): void {
  let street: Street;
  beforeAll(async () => {
    await compileGateway();
    street = await openCreditStreet(variables());
  });
  afterAll(() => street.close());

  it.each(isFull ? STEPS : [shortStep])(
    'killed after %s: one transfer, one grant, one answer',
    { timeout: 600_000 },
    async (step) => {
      for (let round = 0; round < KILLS; round++) {
        const wallet = await openWallet(street.solana);
        const { path, headers, before } = await killedAfter(step, street, (url, path) =>
          paymentFor(url + path, wallet, 'bundle'),
        );
        const { url } = await street.standing();
        const second = await askUntilDecided(url + path, headers);
        const third = await askUntilDecided(url + path, headers);
        expect([second.status, third.status, third.isReplayed, third.text]).toEqual([200, 200, true, second.text]);
        expect(street.solana.mainnet.transfers.length - before.transfers).toBe(1);
        expect(await accountOf(url, wallet)).toMatchObject({
          grantedMicros: BUNDLE - PRICE,
          spentMicros: 0,
          balanceMicros: BUNDLE - PRICE,
        });
      }
    },
  );
}

describe.sequential('a bundle in a folder whose gateway is killed', () => suite(() => ({}), 'settle'));

redisSuite('a bundle on Redis whose gateway is killed', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis({ appendonly: 'yes' });
  });
  afterAll(() => redis.stop());
  suite(() => ({ REDIS_URL: redis.url, GATEWAY_SECRET: 's'.repeat(32) }), 'record');
});
