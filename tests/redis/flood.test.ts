import { beforeAll, expect, it } from 'vitest';
import { mostForCertain, sleep } from '../budget/history.ts';
import { inSuite } from '../kit/in-suite.ts';
import { openPostgresDatabase, postgresSuite } from '../kit/postgres.ts';
import type { GatewayProcess } from '../kit/process.ts';
import { redisSuite, startRedis } from '../kit/redis.ts';
import { isFull, roundsOnEach } from '../kit/rounds.ts';
import {
  ask,
  askUntilDecided,
  type Buyer,
  newBuyer,
  newPath as newPaidPath,
  type Reply,
  ROOMY,
} from '../payments/fault-buyer.ts';
import { askWith, newPath } from './asking.ts';
import { openNodes, signAt } from './nodes.ts';

const [COUNT, LIMIT, WINDOW_MS, FLOOD_MS] = isFull ? [4, 30, 60_000, 200_000] : [2, 6, 500, 1_000];
/** No call is given up: one that is may be read later than a small window allows for, by an upstream or a node without time. */
const DEADLINE_MS = '10000';
const SIGNING_AT_ONCE = 8;
const PAYING_AT_ONCE = isFull ? 100 : 20;

/** The same header, sent to every node at once. */
interface Volley {
  readonly path: string;
  readonly statuses: readonly number[];
}

redisSuite('processes with one Redis', () => postgresSuite('and one PostgreSQL', suite));

function suite(): void {
  const redis = inSuite(startRedis);
  const database = inSuite(openPostgresDatabase);
  const nodes = inSuite(() => {
    const limits = { TOKENS_RATE_LIMIT_PER_MINUTE: String(LIMIT), UPSTREAM_TIMEOUT_MS: DEADLINE_MS, ...ROOMY };
    const variables = { REDIS_URL: redis.url, ...limits };
    return openNodes({ windowMs: WINDOW_MS, databaseUrl: database.url, variables });
  });
  let gateways: GatewayProcess[];
  let buyer: Buyer;
  beforeAll(async () => {
    gateways = await Promise.all(Array.from({ length: COUNT }, () => nodes.open()));
    buyer = await newBuyer(nodes.solana.mainnet, 1_000_000_000n);
  }, 60_000);

  const everywhere = (times: number): string[] =>
    Array.from({ length: times }, (_, index) => gateways[index % gateways.length]?.url ?? '');

  async function volley(signer: GatewayProcess): Promise<Volley> {
    const path = newPath();
    const header = await signAt(signer, path);
    const answers = everywhere(4).map((url) => askWith(url + path, header));
    return { path, statuses: (await Promise.all(answers)).map(({ status }) => status) };
  }

  it('L9 S1 a flood of sign-ins, each sent to all at once: the limit is kept, and each is good once', {
    timeout: FLOOD_MS + 60_000,
  }, async () => {
    const volleys: Volley[] = [];
    const end = performance.now() + FLOOD_MS;
    while (performance.now() < end || nodes.upstream.arrivals.length <= 2 * LIMIT) {
      const signers = Array.from({ length: SIGNING_AT_ONCE }, (_, index) => gateways[index % COUNT] as GatewayProcess);
      volleys.push(...(await Promise.all(signers.map(volley))));
      await sleep(50);
    }
    const { arrivals } = nodes.upstream;
    const seen = await nodes.arrivals.seen();
    expect(seen).toHaveLength(arrivals.length);
    expect(mostForCertain(seen, WINDOW_MS)).toBeLessThanOrEqual(LIMIT);
    expect(arrivals.length).toBeGreaterThan(LIMIT);
    expect(new Set(arrivals.map(({ target }) => target)).size).toBe(arrivals.length);
    const served = volleys.filter(({ statuses }) => statuses.includes(200));
    expect(served.length).toBeGreaterThan(LIMIT);
    for (const { statuses } of served) expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    const other = volleys.flatMap(({ statuses }) => statuses).filter((status) => ![200, 402, 429].includes(status));
    // On a machine that is busy with something else a call can meet its deadline, or the store's.
    expect(other.filter((status) => ![503, 504].includes(status))).toEqual([]);
  });

  it('P1 one payment sent many times to all at once: one transfer, and one answer', { timeout: 300_000 }, async () => {
    const { mainnet, provider } = nodes.solana;
    for (let round = 0; round < roundsOnEach(50); round++) {
      const path = newPaidPath();
      const payment = await buyer.pay(gateways[0]?.url + path);
      const [arrivals, transfers] = [provider.arrivals.length, mainnet.transfers.length];
      provider.faults.delayMs = (round % 3) * 40;
      const replies = await Promise.all(everywhere(PAYING_AT_ONCE).map((url) => ask(url + path, payment)));
      provider.faults.reset();
      const later = await Promise.all(everywhere(COUNT).map((url) => askUntilDecided(url + path, payment)));
      expect(mainnet.transfers.length - transfers).toBe(1);
      expectServedOnce([...replies, ...later]);
      // Where the machine is too busy for the store to answer in time, the purchase may have been begun again.
      const isBusy = replies.some(({ code }) => code === 'state_unavailable');
      if (!isBusy) expect(provider.arrivals.length - arrivals).toBe(1);
    }
  });
}

function expectServedOnce(replies: readonly Reply[]): void {
  const served = replies.filter(({ status }) => status === 200);
  expect(served.filter(({ isReplayed }) => !isReplayed).length).toBeLessThanOrEqual(1);
  expect(new Set(served.map(({ text }) => text)).size).toBe(1);
  const others = replies.filter(({ status }) => status !== 200).map(({ code }) => code);
  const isUsual = (code: string) => ['payment_in_progress', 'state_unavailable', 'settlement_pending'].includes(code);
  expect(others.filter((code) => !isUsual(code))).toEqual([]);
}
