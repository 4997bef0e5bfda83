import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { officialFetch } from '../discovery/official-fetch.ts';
import { freePort } from '../http/ports.ts';
import { inSuite } from '../kit/in-suite.ts';
import { openPostgresDatabase, postgresSuite } from '../kit/postgres.ts';
import { type RecordingProxy, startRecordingProxy } from '../kit/recording-proxy.ts';
import { redisSuite, startRedis } from '../kit/redis.ts';
import { isFull } from '../kit/rounds.ts';
import { startUpstream, type TestGateway } from '../kit/test-gateway.ts';
import { newPath as newPaidPath, until } from '../payments/fault-buyer.ts';
import { newPath } from './asking.ts';
import { openFleet } from './fleet.ts';

const [OLD, NEW] = ['o'.repeat(32), 'n'.repeat(32)];
const SECRETS = [OLD, `${OLD},${NEW}`, `${NEW},${OLD}`, NEW];
/** One node's turn, on any machine. */
const ROLL_MS = 60_000;

redisSuite('in a rolling restart of nodes', () => postgresSuite('that share a database', suite));

function suite(): void {
  const redis = inSuite(startRedis);
  const database = inSuite(openPostgresDatabase);
  const fleet = inSuite(() => openFleet({ redisUrl: redis.url, databaseUrl: database.url }));

  /** Rolls the nodes while stock clients ask and pay, none of whom may notice. */
  async function expectUnnoticed([first, ...rolls]: readonly object[]): Promise<void> {
    const balancer = await startRecordingProxy();
    const nodes = [await startNode(first), await startNode(first)];
    const stock = await officialFetch(fleet);

    async function startNode(variables = {}): Promise<TestGateway> {
      const port = await freePort();
      const node = await fleet.start({ PORT: String(port), GATEWAY_BASE_URL: balancer.url, ...variables });
      balancer.ports.push(port);
      return { ...node, port };
    }

    const retiring: Promise<void>[] = [];
    const statuses: number[] = [];
    const transfers = fleet.solana?.mainnet.transfers ?? [];
    let isRolling = true;
    const keepAsking = async (pathOf: () => string) => {
      while (isRolling) statuses.push((await stock(balancer.url + pathOf())).status);
    };
    const clients = Promise.all([keepAsking(newPath), keepAsking(newPaidPath)]);
    for (const variables of rolls) {
      for (const index of nodes.keys()) {
        const before = { asked: statuses.length, bought: transfers.length };
        const next = await startNode(variables);
        retiring.push(retire(balancer, nodes[index]));
        nodes[index] = next;
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

  it('GATEWAY_SECRET as a list and TOKENS_API_KEY change, and no stock client fails', {
    timeout: 400_000,
  }, async () => {
    const TOKENS_API_KEY = 'another-key-of-the-same-upstream';
    const upstream = await startUpstream({ key: TOKENS_API_KEY });
    const next = { TOKENS_API_KEY, TOKENS_API_BASE_URL: upstream.url };
    await expectUnnoticed(SECRETS.map((GATEWAY_SECRET, roll) => ({ GATEWAY_SECRET, ...(roll > 1 && next) })));
    expect(upstream.arrivals.length).toBeGreaterThan(0);
  });
}

/** Open connections of the balancer are accepted by then. */
const LAST_CONNECTIONS_MS = 100;

/** Takes a node out of the balancer, and stops it after its last response. */
async function retire({ ports }: RecordingProxy, node: TestGateway | undefined) {
  if (!node) return;
  ports.splice(ports.indexOf(node.port), 1);
  await sleep(LAST_CONNECTIONS_MS);
  await node.stop();
}
