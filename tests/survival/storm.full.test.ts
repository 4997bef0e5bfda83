import { expect, it } from 'vitest';
import { sleep } from '../budget/history.ts';
import { expectBooksInOrder } from '../kit/books.ts';
import { inSuite } from '../kit/in-suite.ts';
import { type PostgresServer, postgresSuite, startPostgres } from '../kit/postgres.ts';
import type { GatewayProcess } from '../kit/process.ts';
import { type RedisServer, redisSuite, startRedis } from '../kit/redis.ts';
import { isFull } from '../kit/rounds.ts';
import { CANARY_SECRET } from '../kit/test-gateway.ts';
import { chargedIn, type Reply, ROOMY, receiptIn, until } from '../payments/fault-buyer.ts';
import { openNodes } from '../redis/nodes.ts';
import { runSales } from '../sales/kit.ts';
import { StormWallets } from './storm-wallets.ts';

const [STORM_MS, NODE_PAUSE_MS, SERVER_PAUSE_MS] = isFull ? [600_000, 2_000, 4_000] : [20_000, 500, 1_000];
/** Longer than the lease of a payment. */
const FROZEN_NODE_MS = 7_000;
const [STOPPED_MS, FROZEN_MS] = isFull ? [2_000, 5_000] : [1_000, 2_000];
/** Longer than the lease of a settlement, of a hold, and the next look at them. */
const LAPSED_MS = 60_000;
const UNFINISHED = `select key from open_payments union all select address from wallets where held_micro_usdc > 0`;

redisSuite('three nodes with one Redis', () => postgresSuite('and one PostgreSQL', suite, { timeout: 1_800_000 }));

interface Servers {
  readonly redis: RedisServer;
  readonly postgres: PostgresServer;
}

/** Faults that come in turn: of the nodes, and at the same time of their servers. `counts`: how often each came. */
function faultsOf(nodes: GatewayProcess[], open: () => Promise<GatewayProcess>, { redis, postgres }: Servers) {
  const counts = { kills: 0, freezes: 0, terminated: 0, flushes: 0, stops: 0, stalls: 0 };
  /** A node whose database is in trouble may end, and is started again, as a supervisor does. */
  const openAgain = (): Promise<GatewayProcess> => open().catch(() => sleep(500).then(openAgain));
  const ofNodes = [
    async (index: number) => {
      counts.kills++;
      await nodes[index]?.end('SIGKILL');
      nodes[index] = await openAgain();
    },
    async (index: number) => {
      counts.freezes++;
      nodes[index]?.child.kill('SIGSTOP');
      await sleep(FROZEN_NODE_MS);
      nodes[index]?.child.kill('SIGCONT');
    },
  ];
  const ofServers = [
    async () => {
      counts.terminated += await postgres.endConnections();
    },
    async () => {
      counts.flushes++;
      await redis.command('FLUSHALL');
    },
    async () => {
      counts.stops++;
      await postgres.kill();
      await sleep(STOPPED_MS);
      await postgres.start();
    },
    async () => {
      counts.stalls++;
      postgres.freeze();
      await sleep(FROZEN_MS);
      postgres.thaw();
    },
  ];
  return { counts, ofNodes, ofServers };
}

type Fault = (index: number) => Promise<void>;

async function comeInTurn(faults: readonly Fault[], pauseMs: number, endMs: number): Promise<void> {
  for (let round = 0; performance.now() < endMs; round++) {
    await sleep(pauseMs);
    await faults[round % faults.length]?.(round % 3);
  }
}

const transactionIn = (reply: Reply): string => String(receiptIn(reply).transaction ?? '');

function suite(): void {
  const redis = inSuite(startRedis);
  const postgres = inSuite(startPostgres);
  const cluster = inSuite(() =>
    openNodes(60_000, { REDIS_URL: redis.url, DATABASE_URL: postgres.url(), CREDIT: 'on', ...ROOMY }),
  );

  it('P7 P22 killed, frozen, cut off and started again: an answer for each transfer and for each charge, and exact books', async () => {
    const nodes = await Promise.all([cluster.open(), cluster.open(), cluster.open()]);
    const wallets = await StormWallets.open(nodes, cluster.solana);
    const { transfers } = cluster.solana.mainnet;
    const before = transfers.map(({ signature }) => signature);
    const { counts, ofNodes, ofServers } = faultsOf(nodes, cluster.open, { redis, postgres });
    wallets.start();
    const endMs = performance.now() + STORM_MS;
    await Promise.all([comeInTurn(ofNodes, NODE_PAUSE_MS, endMs), comeInTurn(ofServers, SERVER_PAUSE_MS, endMs)]);
    await wallets.finish();
    const served = wallets.served();
    const debits = served.filter(({ reply }) => chargedIn(reply) > 0);
    const sums = { requests: wallets.asked.length, copies: wallets.copies, served: served.length };
    const found = { ...sums, transfers: transfers.length, debits: debits.length, ...counts };
    process.stdout.write(`${JSON.stringify(found)} ${JSON.stringify(wallets.outcomes())}\n`);

    await until(async () => (await postgres.query(UNFINISHED)).length === 0, LAPSED_MS);
    await expectBooksInOrder({ url: postgres.url() }, transfers);
    const bought = served.map(({ reply }) => transactionIn(reply)).filter(Boolean);
    expect([...before, ...bought].sort()).toEqual(transfers.map(({ signature }) => signature).sort());
    expect(debits.length).toBe(served.length - bought.length);
    const charged = new Map<string, number>();
    for (const { wallet, reply } of debits)
      charged.set(wallet.address, (charged.get(wallet.address) ?? 0) + chargedIn(reply));
    const spent = await postgres.query(
      'select address, spent_micro_usdc as spent from wallets where spent_micro_usdc > 0',
    );
    expect(new Map(spent.map(({ address, spent: micros }) => [address, Number(micros)]))).toEqual(charged);
    const [entries] = await postgres.query(`select count(*) as count from journal_entries where kind = 'debit'`);
    expect(Number(entries?.count)).toBe(debits.length);
    const variables = { ...cluster.solana.variables, GATEWAY_SECRET: CANARY_SECRET, DATABASE_URL: postgres.url() };
    const { code, stderr } = await runSales(variables, 'verify');
    expect([code, stderr]).toEqual([0, expect.stringMatching(/, 0 discrepancies\n$/)]);
  });
}
