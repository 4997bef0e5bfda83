import { NETWORKS } from '@asset-gateway/protocol';
import { generateKeyPairSigner } from '@solana/kit';
import { x402Client, x402HTTPClient } from '@x402/core/client';
import { createSIWxClientHook, type SIWxSigner } from '@x402/extensions/sign-in-with-x';
import { wrapFetchWithPayment } from '@x402/fetch';
import { ExactSvmScheme } from '@x402/svm/exact/client';
import { expect, it } from 'vitest';
import { startTokensApi } from '../../packages/sandbox/src/tokens/api.ts';
import { freePort } from '../http/ports.ts';
import { inEachTest, inSuite } from '../kit/in-suite.ts';
import { openPostgresDatabase, postgresSuite } from '../kit/postgres.ts';
import { redisSuite, startRedis } from '../kit/redis.ts';
import { isFull } from '../kit/rounds.ts';
import { newPath as newPaidPath, until } from '../payments/fault-buyer.ts';
import { newPath } from './asking.ts';
import { type Fleet, openFleet } from './fleet.ts';

const [OLD, NEW] = ['o'.repeat(32), 'n'.repeat(32)];
const SECRETS = [OLD, `${OLD},${NEW}`, `${NEW},${OLD}`, NEW];
/** One node's turn, on any machine. */
const ROLL_MS = 60_000;
/** The variables of all nodes, one roll after the other. */
type Rolls = readonly object[];

/** The public origin of all nodes. */
const ORIGIN = 'http://gateway.example';

/** The official client, which signs in and pays. Each of its requests goes to the next node. */
async function newStockClient({ solana }: Fleet, nextNode: () => string): Promise<typeof fetch> {
  const signer = await generateKeyPairSigner();
  await solana?.mainnet.fundUsdc(signer.address, 1_000_000_000n);
  const rpcUrl = solana?.mainnet.url ?? '';
  const payer = new x402Client().register(NETWORKS.mainnet, new ExactSvmScheme(signer, { rpcUrl }));
  const client = new x402HTTPClient(payer).onPaymentRequired(createSIWxClientHook(signer as unknown as SIWxSigner));
  const send: typeof fetch = async (input, init) => {
    const asked = new Request(input, init);
    return fetch(asked.url.replace(ORIGIN, nextNode()), asked);
  };
  return wrapFetchWithPayment(send, client) as typeof fetch;
}

redisSuite('in a rolling restart of nodes', () => postgresSuite('that share a database', suite));

function suite(): void {
  const redis = inSuite(startRedis);
  const database = inEachTest(openPostgresDatabase);
  const fleet = inEachTest(() => openFleet({ redisUrl: redis.url, databaseUrl: database.url }));

  /** Rolls the nodes while stock clients ask and pay, none of whom may notice. */
  async function expectUnnoticed([first = {}, ...rolls]: Rolls): Promise<void> {
    await redis.command('FLUSHALL');
    const startNode = async (variables: object) => {
      const port = await freePort();
      const node = await fleet.start({ PORT: String(port), GATEWAY_BASE_URL: ORIGIN, ...variables });
      return { ...node, url: `http://127.0.0.1:${port}` };
    };
    const nodes = [await startNode(first), await startNode(first)];
    let turn = 0;
    const stock = await newStockClient(fleet, () => nodes[turn++ % nodes.length]?.url ?? '');
    const retiring: Promise<void>[] = [];
    const statuses: number[] = [];
    const transfers = fleet.solana?.mainnet.transfers ?? [];
    let isRolling = true;
    const keepAsking = async (pathOf: () => string) => {
      while (isRolling) statuses.push((await stock(ORIGIN + pathOf())).status);
    };
    const clients = Promise.all([keepAsking(newPath), keepAsking(newPaidPath)]);
    for (const variables of rolls) {
      for (const index of nodes.keys()) {
        const before = { asked: statuses.length, bought: transfers.length };
        const [leaving] = nodes.splice(index, 1, await startNode(variables));
        if (leaving) retiring.push(leaving.stop());
        // Both clients have been served.
        await until(() => statuses.length > before.asked + 4 && transfers.length > before.bought, ROLL_MS);
      }
    }
    isRolling = false;
    await Promise.all([clients, ...retiring]);
    // On a busy machine Redis may be late: 503, which a client repeats.
    expect(statuses.filter((status) => status !== 200 && (isFull || status !== 503))).toEqual([]);
    expect(statuses).toContain(200);
  }

  it('GATEWAY_SECRET changes as a list, and no stock client fails', { timeout: 400_000 }, () =>
    expectUnnoticed(SECRETS.map((GATEWAY_SECRET) => ({ GATEWAY_SECRET }))),
  );

  it('TOKENS_API_KEY changes, and no stock client fails', { timeout: 400_000 }, async () => {
    const TOKENS_API_KEY = 'another-key-of-the-same-upstream';
    const upstream = await startTokensApi({ key: TOKENS_API_KEY });
    const next = { TOKENS_API_KEY, TOKENS_API_BASE_URL: upstream.url };
    await expectUnnoticed([{}, next, {}, next]);
    expect(upstream.arrivals.length).toBeGreaterThan(0);
    await upstream.close();
  });
}
