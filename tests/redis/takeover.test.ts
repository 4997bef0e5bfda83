import { afterAll, beforeAll, expect, it } from 'vitest';
import { PAYMENTS } from '../../packages/gateway/src/payments/record.ts';
import { mostForCertain, sleep } from '../budget/history.ts';
import { expectBooksInOrder } from '../kit/books.ts';
import { inSuite } from '../kit/in-suite.ts';
import { openPostgresDatabase, postgresSuite } from '../kit/postgres.ts';
import type { GatewayProcess } from '../kit/process.ts';
import { redisSuite, startRedis } from '../kit/redis.ts';
import { isFull } from '../kit/rounds.ts';
import { startTcpProxy } from '../kit/tcp-proxy.ts';
import {
  ask,
  askUntilDecided,
  type Buyer,
  newBuyer,
  newPath,
  type Reply,
  ROOMY,
  until,
} from '../payments/fault-buyer.ts';
import { expectServedOnce } from '../payments/fault-process.ts';
import { askWith, codesOf, newPath as newFreePath } from './asking.ts';
import { openNodes, signAt } from './nodes.ts';

const STEPS = isFull
  ? ['reserve', 'verify', 'upstream', 'store', 'settle', 'record', 'respond']
  : ['upstream', 'settle'];
const ROUNDS = isFull ? 10 : 1;
const WRITTEN = ['store', 'settle', 'record', 'respond'];
/** The calls of free routes that all nodes may make in this span. */
const [LIMIT, WINDOW_MS] = [4, 1_000];
/** Longer than any slot is held, and than a reply of Redis counts. */
const STOPPED_MS = 6_000;
/** Longer than a dead node's lease. */
const LIMIT_MS = 40_000;

redisSuite('with Redis a node that dies or stops', () => postgresSuite('and PostgreSQL', suite));

function suite(): void {
  const redis = inSuite(startRedis);
  const database = inSuite(openPostgresDatabase);
  const proxy = inSuite(() => startTcpProxy(redis.port));
  const nodes = inSuite(() => {
    const limits = { TOKENS_RATE_LIMIT_PER_MINUTE: String(LIMIT), UPSTREAM_TIMEOUT_MS: '3000', ...ROOMY };
    const variables = { REDIS_URL: redis.url, ...limits };
    return openNodes({ windowMs: WINDOW_MS, variables, databaseUrl: database.url });
  });
  let node: GatewayProcess;
  let other: GatewayProcess;
  beforeAll(async () => {
    [node, other] = await Promise.all([nodes.open(), nodes.open()]);
    // The first call for each of these takes longer than a lease.
    const only = ({ target }: { target: string }) =>
      [...slow].some((each) => target.includes(each) && slow.delete(each));
    Object.assign(nodes.solana.provider.faults, { delayMs: PAYMENTS.leaseMs + 1_500, only });
  });
  afterAll(() => expectBooksInOrder({ url: database.url }, nodes.solana.mainnet.transfers));

  const walletIn = (path: string): string => path.split('/').at(-1) ?? '';
  const slow = new Set<string>();
  const callsFor = (path: string): number => {
    return nodes.solana.provider.arrivals.filter(({ target }) => target.includes(walletIn(path))).length;
  };
  /** Asks until the node has killed itself. Returns its responses. */
  async function askToDeath({ url, child }: GatewayProcess, path: string, payment: string): Promise<Reply[]> {
    const replies: Reply[] = [];
    while (child.signalCode === null) {
      const reply = await ask(url + path, payment).catch(() => undefined);
      if (reply) replies.push(reply);
      await sleep(50);
    }
    return replies;
  }

  const transfersOf = ({ address }: Buyer): number =>
    nodes.solana.mainnet.transfers.filter(({ from }) => from === address).length;

  it.concurrent.each(STEPS)(
    'P7 killed after %s: the other one answers, with one transfer and one body',
    async (step) => {
      for (let round = 0; round < ROUNDS; round++) {
        const buyer = await newBuyer(nodes.solana.mainnet);
        const path = newPath();
        const doomed = await nodes.open({}, step);
        const payment = await buyer.pay(doomed.url + path);
        const replies = await askToDeath(doomed, path, payment);
        const second = await askUntilDecided(other.url + path, payment, LIMIT_MS);
        const third = await askUntilDecided(other.url + path, payment, LIMIT_MS);
        expectServedOnce({ replies: [...replies, second, third], transfers: transfersOf(buyer) });
        if (WRITTEN.includes(step)) expect(callsFor(path)).toBe(1);
      }
    },
    LIMIT_MS * 10,
  );

  /** Begins a purchase that takes longer than a lease at the node. */
  async function begin() {
    const buyer = await newBuyer(nodes.solana.mainnet);
    const path = newPath();
    const payment = await buyer.pay(node.url + path);
    slow.add(walletIn(path));
    const first = ask(node.url + path, payment);
    await until(() => callsFor(path) === 1);
    return { buyer, path, payment, first };
  }

  it.concurrent(
    'P22 a slow purchase stays with its node while that lives; if it is stopped the other one takes over, and it notices',
    async () => {
      const kept = await begin();
      await sleep(PAYMENTS.leaseMs + 500);
      const early = await ask(other.url + kept.path, kept.payment);
      expect([early.status, early.code]).toEqual([409, 'payment_in_progress']);
      expect((await kept.first).status).toBe(200);
      expect([transfersOf(kept.buyer), callsFor(kept.path)]).toEqual([1, 1]);

      const { buyer, path, payment, first } = await begin();
      node.child.kill('SIGSTOP');
      const second = await askUntilDecided(other.url + path, payment, LIMIT_MS);
      expect([second.status, second.isReplayed]).toEqual([200, false]);
      node.child.kill('SIGCONT');
      const late = await first;
      expect([late.status, late.code]).toEqual([503, 'settlement_pending']);
      await sleep(200);
      const third = await askUntilDecided(node.url + path, payment, LIMIT_MS);
      expectServedOnce({ replies: [late, second, third], transfers: transfersOf(buyer) });
    },
    LIMIT_MS * 3,
  );

  it.concurrent('L9 a node that is stopped while it takes slots does not use them: others may hold them by then', async () => {
    const stopped = await nodes.open({ REDIS_URL: `redis://127.0.0.1:${proxy.port}` });
    const askOther = async () => {
      const path = newFreePath();
      return (await askWith(other.url + path, await signAt(other, path))).status;
    };
    // On a busy machine the first reply may be late.
    await until(async () => (await askOther()) === 200);
    await sleep(WINDOW_MS * 2);
    const before = nodes.upstream.arrivals.length;
    const paths = Array.from({ length: LIMIT }, newFreePath);
    const headers = await Promise.all(paths.map((path) => signAt(stopped, path)));
    const held: Buffer[] = [];
    proxy.meddle = (reply) => {
      held.push(reply);
      return undefined;
    };
    const answers = Promise.all(paths.map((path, index) => askWith(stopped.url + path, headers[index] ?? '')));
    const slotKeys = async () => (await redis.command('KEYS', '{gw:budgets}:slots:tokens:*')) as string[];
    await until(async () => (await redis.command('ZCARD', (await slotKeys())[0] ?? 'none')) === LIMIT);
    stopped.child.kill('SIGSTOP');
    proxy.release(held);
    await sleep(STOPPED_MS);
    expect(await Promise.all(paths.map(askOther))).toEqual(paths.map(() => 200));
    proxy.meddle = undefined;
    stopped.child.kill('SIGCONT');
    expect(codesOf(await answers)).toEqual(['503 state_unavailable']);
    expect(mostForCertain(await nodes.arrivals.seen(), WINDOW_MS)).toBeLessThanOrEqual(LIMIT);
    expect(nodes.upstream.arrivals).toHaveLength(before + LIMIT);
  });
}
