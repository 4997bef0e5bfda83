import { generateKeyPairSync } from 'node:crypto';
import { rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import bs58 from 'bs58';
import Connection from 'libsql';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Store, Verdict } from '../../packages/gateway/src/budget/store.ts';
import { Metrics } from '../../packages/gateway/src/metrics/metrics.ts';
import type { Readings } from '../../packages/gateway/src/metrics/readings.ts';
import { sqliteIn } from '../../packages/gateway/src/stores/sql/sqlite.ts';
import { startSolanaSandbox } from '../../packages/sandbox/src/solana-sandbox.ts';
import { makeFolder } from '../kit/folder.ts';
import { suiteWith } from '../kit/optional.ts';
import { askPostgres, openPostgresDatabase, startPostgres } from '../kit/postgres.ts';
import { startRedis } from '../kit/redis.ts';
import { type SellingGateway, startSellingGateway } from '../kit/selling-gateway.ts';
import { CANARY_KEY, startTestGateway, type TestGateway } from '../kit/test-gateway.ts';
import { Scrape } from '../operations/scrape.ts';
import { ask, newBuyer, newPath } from '../payments/fault-buyer.ts';
import { drain } from '../payments/fault-fee-payer.ts';
import { askFreshly } from '../signin/craft.ts';
import { openDirect } from '../signin/direct-gateway.ts';
import { Caller, HEALTH, TOKENS } from '../upstream/caller.ts';
import { alerts } from './monitoring.ts';
import { type Change, type Course, disagreement, type Expected } from './promtool.ts';

type Place = TestGateway | SellingGateway;

/** The metrics; empty if the gateway does not answer. */
const textOf = ({ gateway }: Place): Promise<string> =>
  fetch(gateway.metricsUrl ?? '').then(
    (response) => response.text(),
    () => '',
  );

/** The metrics once the event loop has calmed down after the start. */
async function calmTextOf(place: Place): Promise<string> {
  for (;;) {
    await pause(100);
    const text = await textOf(place);
    const lag = new Scrape(text).sum('nodejs_eventloop_lag_p99_seconds') ?? 0;
    if (lag < 0.1) return text;
  }
}

/** The metrics before and after an event. */
async function change<Somewhere extends Place>(
  place: Somewhere,
  happen: (place: Somewhere) => Promise<unknown>,
): Promise<Change> {
  const before = await calmTextOf(place);
  await happen(place);
  const after = await textOf(place);
  await place.stop();
  return { before, after };
}

const openNode = (variables = {}): Promise<TestGateway> =>
  startTestGateway({ METRICS_PORT: '0', ...variables }, { windowMs: 3_600_000 });
const openGateway = (variables = {}): Promise<SellingGateway> =>
  startSellingGateway({ METRICS_PORT: '0', ...variables });

/** Calls the upstream this often while it has these faults. */
const askingWith =
  (knobs: object, times = 1) =>
  async (node: TestGateway) => {
    Object.assign(node.upstream.faults, knobs);
    for (let time = 0; time < times; time++) {
      await new Caller(node).ask({ target: times === 1 ? HEALTH : `${TOKENS}/assets/a${time}` });
    }
  };

async function buy({ url, solana }: SellingGateway): Promise<void> {
  const path = url + newPath();
  await ask(path, await (await newBuyer(solana.mainnet)).pay(path));
}

async function replay(node: TestGateway): Promise<void> {
  const caller = new Caller(node);
  const signIn = await caller.signIn();
  for (let time = 0; time < 40; time++) await caller.askWith(signIn, { target: HEALTH });
}

/** More at once than may be in flight. */
async function crowd(node: TestGateway): Promise<void> {
  node.upstream.faults.hang = true;
  await Promise.all(Array.from({ length: 80 }, () => new Caller(node).ask({ target: HEALTH })));
}

/** The delay is sampled by a timer, which has to have run before and after. */
async function block(): Promise<void> {
  await pause(50);
  const until = performance.now() + 400;
  while (performance.now() < until);
  await pause(50);
}

async function loseAnOutcome(seller: SellingGateway): Promise<void> {
  Object.assign(seller.solana.mainnet.faults, { dropAfterBroadcast: true, lie: { statusMissing: true } });
  await buy(seller);
}

/** An outcome is lost, and eleven minutes go by. */
async function unknownForLong(): Promise<Change> {
  const dataDir = makeFolder();
  const solana = await startSolanaSandbox({ key: 'a-key-of-the-providers' });
  const { before } = await change(await startSellingGateway({ METRICS_PORT: '0' }, { dataDir, solana }), loseAnOutcome);
  const books = new Connection(sqliteIn(dataDir));
  books.prepare('update payments set settling_since_ms = ?').run(Date.now() - 660_000);
  books.close();
  const later = await startSellingGateway({ METRICS_PORT: '0' }, { dataDir, solana });
  const after = await calmTextOf(later);
  await later.stop();
  await solana.close();
  rmSync(dataDir, { recursive: true, force: true });
  return { before, after };
}

/** The fee payer loses its SOL, and a buyer pays. */
async function drainAndBuy(seller: SellingGateway): Promise<void> {
  drain(seller.solana);
  await buy(seller);
}

/** The same gateway with a fee payer that has little left. */
async function impoverished(): Promise<Change> {
  const solana = await startSolanaSandbox({ key: 'a-key-of-the-providers' });
  const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const keypair = Buffer.concat([Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url')]);
  for (const chain of [solana.mainnet, solana.devnet]) chain.airdrop(bs58.encode(keypair.subarray(32)), 50_000_000n);
  const textWith = async (variables: object): Promise<string> => {
    const seller = await startSellingGateway({ METRICS_PORT: '0', ...variables }, { solana: solana });
    let text = '';
    while (!text.includes('asset_gateway_fee_payer_lamports{')) text = await calmTextOf(seller);
    await seller.stop();
    return text;
  };
  const [before, after] = [await textWith({}), await textWith({ FEE_PAYER_KEYPAIR: bs58.encode(keypair) })];
  await solana.close();
  return { before, after };
}

/** A store that answers what no store may. */
const brokenStore = (store: Store): Store => ({
  now: () => store.now(),
  wallNow: () => store.wallNow(),
  ready: () => store.ready(),
  epoch: () => store.epoch(),
  admit: () => Promise.resolve(undefined as unknown as Verdict),
  judge: (...parts) => store.judge(...parts),
  burn: (...parts) => store.burn(...parts),
  complete: (...parts) => store.complete(...parts),
  pause: (...parts) => store.pause(...parts),
  view: (budget) => store.view(budget),
});

const HEALTHY: Readings = {
  isReady: () => true,
  channels: () => [],
  openPayments: async () => ({ count: 0, oldestMs: 0 }),
  feePayers: async () => [],
  sales: () => [],
};

async function ownFault(): Promise<Change> {
  const metrics = new Metrics();
  metrics.watch(HEALTHY);
  const before = await metrics.text();
  const direct = await openDirect({ around: brokenStore });
  await askFreshly(direct);
  for (const line of direct.lines) metrics.finished(line);
  await direct.close();
  metrics.close();
  return { before, after: await metrics.text() };
}

async function loseRedis(): Promise<Change> {
  const redis = await startRedis();
  const node = await openNode({ REDIS_URL: redis.url });
  return change(node, async () => {
    await redis.stop();
    await new Caller(node).ask({ target: HEALTH });
  });
}

let lostRedis: Promise<Change> | undefined;
/** The condition of two alerts. */
function withoutRedis(): Promise<Change> {
  lostRedis ??= loseRedis();
  return lostRedis;
}

/** PostgreSQL is killed. */
async function loseDatabase(): Promise<Change> {
  const server = await startPostgres();
  const seller = await openGateway({ DATABASE_URL: server.url() });
  try {
    return await change(seller, async () => {
      await server.kill();
      while (new Scrape(await textOf(seller)).sum('asset_gateway_database_up') !== 0) await pause(50);
    });
  } finally {
    await server.stop();
  }
}

/** Every change of a payment takes PostgreSQL 300 ms. */
async function slowCommits(): Promise<Change> {
  const database = await openPostgresDatabase();
  try {
    return await change(await openGateway({ DATABASE_URL: database.url }), async (seller) => {
      await askPostgres(
        database.url,
        `create function slow() returns trigger language plpgsql as $$ begin perform pg_sleep(0.3); return new; end $$;
         create trigger slow before update on payments for each row execute function slow()`,
      );
      await buy(seller);
    });
  } finally {
    await database.drop();
  }
}

/** Metrics of a ready node, and of PostgreSQL's 20 GB volume with this many free bytes. */
const volumeWith = (bytes: number): string => {
  const labels = '{namespace="asset-gateway",persistentvolumeclaim="data-postgres-0"}';
  const gauges = [
    ['asset_gateway_ready', '', 1],
    ['kubelet_volume_stats_available_bytes', labels, bytes],
    ['kubelet_volume_stats_capacity_bytes', labels, 20e9],
  ];
  return gauges.map(([name, own, value]) => `# TYPE ${name} gauge\n${name}${own} ${value}`).join('\n');
};

/** The collector of the log ends. */
async function loseTheLog(): Promise<Change> {
  let isRead = true;
  const write = () => {
    if (!isRead) throw new Error('EPIPE');
  };
  const node = await startTestGateway({ METRICS_PORT: '0' }, { logTo: { write } });
  return change(node, async () => {
    isRead = false;
    await new Caller(node).ask({ target: HEALTH });
  });
}

/** Different things, for which there is one call. */
async function askForMuch(node: TestGateway): Promise<void> {
  const targets = ['one', 'two', 'three', 'four'].map((query) => `${TOKENS}/assets/search?q=${query}`);
  await Promise.all(targets.map((target) => new Caller(node).ask({ target })));
}

/** How the condition of each alert comes about. */
const CONDITIONS: Readonly<Record<string, readonly [make: () => Promise<Change>, course: Course]>> = {
  NoNodeReady: [async () => change(await openNode(), (node) => node.gateway.stop()), 'goes on'],
  NodeNotReady: [withoutRedis, 'goes on'],
  StateStoreUnavailable: [withoutRedis, 'goes on'],
  DatabaseUnreachable: [loseDatabase, 'goes on'],
  CommitsSlow: [slowCommits, 'goes on'],
  DiskFilling: [async () => ({ before: volumeWith(10e9), after: volumeWith(2e9) }), 'goes on'],
  BudgetExhausted: [
    async () => change(await openNode({ TOKENS_RATE_LIMIT_PER_MINUTE: '2' }), askingWith({}, 3)),
    'goes on',
  ],
  SignInFailuresSurge: [async () => change(await openNode(), replay), 'goes on'],
  UpstreamFailing: [async () => change(await openNode(), askingWith({ status: 500 })), 'goes on'],
  UpstreamLeftAlone: [async () => change(await openNode(), askingWith({ status: 500 }, 6)), 'goes on'],
  UpstreamRefusesOurKey: [async () => change(await openNode(), askingWith({ status: 401 })), 'once'],
  UpstreamKeySetAside: [
    async () => change(await openNode({ TOKENS_API_KEY: `${CANARY_KEY},revoked` }), askingWith({}, 2)),
    'goes on',
  ],
  CacheForgoesDemand: [
    async () => change(await openNode({ RESPONSE_CACHE: 'on', TOKENS_RATE_LIMIT_PER_MINUTE: '1' }), askForMuch),
    'goes on',
  ],
  UpstreamAsksForPause: [async () => change(await openNode(), askingWith({ status: 429 })), 'goes on'],
  SettlementsUnresolved: [async () => change(await openGateway(), loseAnOutcome), 'goes on'],
  SettlementUnknownForLong: [unknownForLong, 'goes on'],
  MarginBelowZero: [async () => change(await openGateway({ SOL_PRICE_USD: '150' }), buy), 'goes on'],
  PaymentsUnavailable: [
    async () => change(await openGateway({ FEE_BUDGET_LAMPORTS_PER_HOUR: '10000' }), buy),
    'goes on',
  ],
  FeePayerBalanceLow: [impoverished, 'goes on'],
  SalesClosed: [async () => change(await openGateway(), drainAndBuy), 'goes on'],
  EventLoopDelayed: [async () => change(await openNode(), block), 'goes on'],
  Overloaded: [async () => change(await openNode({ UPSTREAM_TIMEOUT_MS: '1000' }), crowd), 'goes on'],
  LogLost: [loseTheLog, 'goes on'],
  OwnFault: [ownFault, 'once'],
};

describe('the alerts', () => {
  it('each have a condition below', () => {
    expect(Object.keys(CONDITIONS)).toEqual(alerts.map(({ alert }) => alert));
  });
});

const redisAndPostgres = (title: string, body: () => void): void =>
  suiteWith('redis-server', title, () => suiteWith('postgres', 'here', body));

suiteWith('promtool', 'an alert, judged by Prometheus on the metrics of a gateway', (promtool) => {
  redisAndPostgres('with a Redis and a PostgreSQL to lose', () => {
    const seen = new Map<string, Expected>();
    beforeAll(async () => {
      for (const [alert, [make, course]] of Object.entries(CONDITIONS)) {
        seen.set(alert, { alert, change: await make(), course });
      }
    }, 300_000);

    /** All are judged by one program; each by one of its own where they are not all as they should be. */
    let ofAll: string | undefined;

    it.each(Object.keys(CONDITIONS))('%s is silent before and fires after its condition came about', (alert) => {
      ofAll ??= disagreement(promtool, ...seen.values());
      expect(ofAll === '' ? '' : disagreement(promtool, seen.get(alert) as Expected)).toBe('');
    });
  });
});
