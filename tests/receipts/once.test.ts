import { setTimeout as pause } from 'node:timers/promises';
import { HEADERS } from '@asset-gateway/protocol';
import { expect, it, onTestFinished } from 'vitest';
import { buyCredit, CREDIT, spendingHeader } from '../credit/gateway.ts';
import type { Example } from '../http/targets.ts';
import { openPostgresDatabase, postgresSuite } from '../kit/postgres.ts';
import { redisSuite, startRedis } from '../kit/redis.ts';
import { type SellingGateway, startSellingGateway } from '../kit/test-gateway.ts';
import { callOf, headerOf, paymentFor, send } from '../payments/calls.ts';
import { openWallet } from '../payments/wallets.ts';
import { receiptIn } from './kit.ts';

const RPC = callOf('rpc.mainnet.helius.getBalance');
const VARIABLES = { ...CREDIT, RECEIPTS: 'on', GATEWAY_SECRET: 's'.repeat(32) };

/** Asks with these headers and answers the receipt. */
async function receiptOf(gateway: SellingGateway, call: Example, headers: Record<string, string>): Promise<string> {
  const response = await send(gateway, call, headers);
  expect([response.status, response.ok ? '' : await response.clone().text()]).toEqual([200, '']);
  return receiptIn(response).signature;
}

/** Three ways to pay for a call: a payment that settles, one that credit covers, and a signature. */
async function meansOf(gateway: SellingGateway, call: Example) {
  const wallet = await openWallet(gateway.solana);
  const paid = { [HEADERS.payment]: headerOf(await paymentFor(gateway, call, wallet)) };
  const first = await receiptOf(gateway, call, paid);
  expect((await buyCredit(gateway, wallet)).status).toBe(200);
  const covered = { [HEADERS.payment]: headerOf(await paymentFor(gateway, call, wallet)) };
  const signed = { [HEADERS.signIn]: await spendingHeader(gateway, call, wallet.signIn) };
  return [
    { headers: paid, receipt: first },
    { headers: covered, receipt: await receiptOf(gateway, call, covered) },
    { headers: signed, receipt: await receiptOf(gateway, call, signed) },
  ];
}

/** Asks a gateway again, in a later second: receipts count seconds. */
async function expectSame(
  gateway: SellingGateway,
  means: Awaited<ReturnType<typeof meansOf>>,
  call = RPC,
): Promise<void> {
  await pause(1_100);
  for (const { headers, receipt } of means) expect(await receiptOf(gateway, call, headers)).toBe(receipt);
}

it('W9 the receipt of one purchase names the paid URL, also if the same request is written differently later', async () => {
  const gateway = await startSellingGateway(VARIABLES);
  const call = callOf('wallet.mainnet.helius.balances', { query: { limit: '5', page: '1' } });
  const [path = '', query = ''] = call.target.split('?');
  const turned = { ...call, target: `${path}?${query.split('&').reverse().join('&')}` };
  expect(turned.target).not.toBe(call.target);
  // A signature is for one URL as it is written.
  await expectSame(gateway, (await meansOf(gateway, call)).slice(0, 2), turned);
}, 60_000);

redisSuite('W9 on Redis', () =>
  postgresSuite('and PostgreSQL', () => {
    it('W9 the receipt of one purchase is the same whenever its answer is fetched again, also at another node', async () => {
      const [redis, postgres] = [await startRedis(), await openPostgresDatabase()];
      const variables = { ...VARIABLES, REDIS_URL: redis.url, DATABASE_URL: postgres.url };
      const one = await startSellingGateway(variables);
      const other = await startSellingGateway({ ...variables, GATEWAY_BASE_URL: one.url }, { solana: one.solana });
      onTestFinished(async () => {
        await other.stop();
        await one.stop();
        await redis.stop();
        await postgres.drop();
      });
      const means = await meansOf(one, RPC);
      for (const node of [one, other]) await expectSame(node, means);
    }, 60_000);
  }),
);
