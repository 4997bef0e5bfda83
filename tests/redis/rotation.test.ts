import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningGateway } from '@asset-gateway/gateway';
import { NETWORKS } from '@asset-gateway/protocol';
import { generateKeyPairSigner } from '@solana/kit';
import { x402Client, x402HTTPClient } from '@x402/core/client';
import { createSIWxClientHook, type SIWxSigner } from '@x402/extensions/sign-in-with-x';
import { wrapFetchWithPayment } from '@x402/fetch';
import { ExactSvmScheme } from '@x402/svm/exact/client';
import { expect, it } from 'vitest';
import { freePort } from '../http/ports.ts';
import { redisSuite, startRedis } from '../kit/redis.ts';
import { newPath as newPaidPath } from '../payments/fault-buyer.ts';
import { isFull, newPath } from './asking.ts';
import { type Balancer, startBalancer } from './balancer.ts';
import { type Fleet, openFleet } from './fleet.ts';

const [OLD, NEW] = ['o'.repeat(32), 'n'.repeat(32)];
const ROLLS = [`${OLD},${NEW}`, `${NEW},${OLD}`, NEW];

/** The official client, signing in and paying, as somebody who knows nothing of nodes. */
async function newStockClient({ shop }: Fleet): Promise<typeof fetch> {
  const signer = await generateKeyPairSigner();
  await shop?.mainnet.fundUsdc(signer.address, 1_000_000_000n);
  const rpcUrl = shop?.mainnet.url ?? '';
  const payer = new x402Client().register(NETWORKS.mainnet, new ExactSvmScheme(signer, { rpcUrl }));
  const client = new x402HTTPClient(payer).onPaymentRequired(createSIWxClientHook(signer as unknown as SIWxSigner));
  return wrapFetchWithPayment(fetch, client) as typeof fetch;
}

redisSuite('GATEWAY_SECRET', () => {
  it('rotates as a list in a rolling restart, and no stock client fails', { timeout: 120_000 }, async () => {
    const redis = await startRedis();
    const fleet = await openFleet({ redisUrl: redis.url, paid: true });
    const balancer = await startBalancer();
    const nodes = [await startNode(OLD), await startNode(OLD)];
    const stock = await newStockClient(fleet);

    async function startNode(secret: string): Promise<RunningGateway & { readonly port: number }> {
      const port = await freePort();
      const node = await fleet.start({
        PORT: String(port),
        GATEWAY_BASE_URL: balancer.url,
        GATEWAY_SECRET: secret,
      });
      balancer.targets.push(port);
      return { ...node, port };
    }

    const retiring: Promise<void>[] = [];
    const statuses: number[] = [];
    let isRolling = true;
    const keepAsking = async (pathOf: () => string) => {
      while (isRolling) statuses.push((await stock(balancer.url + pathOf())).status);
    };
    const clients = Promise.all([keepAsking(newPath), keepAsking(newPaidPath)]);
    for (const secret of ROLLS) {
      for (const index of nodes.keys()) {
        const next = await startNode(secret);
        retiring.push(retire(balancer, nodes[index]));
        nodes[index] = next;
        await sleep(200);
      }
    }
    isRolling = false;
    await Promise.all([clients, ...retiring]);
    // On a machine that is busy with something else Redis may be late, which a client is told and can repeat.
    expect(statuses.filter((status) => status !== 200 && (isFull || status !== 503))).toEqual([]);
    expect(statuses).toContain(200);
    expect(statuses.length).toBeGreaterThan(20);
    expect(fleet.shop?.mainnet.transfers.length).toBeGreaterThan(5);
    balancer.close();
    await fleet.close();
    await redis.stop();
  });
});

/** Takes a node out of the balancer, and stops it when what it was asked has been answered. */
async function retire({ targets }: Balancer, node: (RunningGateway & { readonly port: number }) | undefined) {
  if (!node) return;
  targets.splice(targets.indexOf(node.port), 1);
  await node.stop();
}
