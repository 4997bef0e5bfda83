import { afterAll, beforeAll, expect, it } from 'vitest';
import { PAYMENTS } from '../../packages/gateway/src/payments/record.ts';
import { sleep } from '../budget/history.ts';
import { expectBooksInOrder } from '../kit/books.ts';
import { inSuite } from '../kit/in-suite.ts';
import { openPostgresDatabase, postgresSuite } from '../kit/postgres.ts';
import type { GatewayProcess } from '../kit/process.ts';
import { redisSuite, startRedis } from '../kit/redis.ts';
import { isFull } from '../kit/rounds.ts';
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
import { openNodes } from './nodes.ts';

const STEPS = isFull
  ? ['reserve', 'verify', 'upstream', 'store', 'settle', 'record', 'respond']
  : ['upstream', 'store', 'settle'];
const ROUNDS = isFull ? 10 : 1;
const WRITTEN = ['store', 'settle', 'record', 'respond'];
/** Longer than a dead node's lease. */
const LIMIT_MS = 40_000;

redisSuite('P7 a payment begun on a node that dies', () => postgresSuite('with PostgreSQL', suite));

function suite(): void {
  const redis = inSuite(startRedis);
  const database = inSuite(openPostgresDatabase);
  const nodes = inSuite(() =>
    openNodes({ windowMs: 60_000, variables: { REDIS_URL: redis.url, ...ROOMY }, databaseUrl: database.url }),
  );
  let other: GatewayProcess;
  beforeAll(async () => {
    other = await nodes.open();
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

  it.concurrent(
    'P22 a purchase that takes longer than a lease stays with its node while that lives',
    async () => {
      const buyer = await newBuyer(nodes.solana.mainnet);
      const path = newPath();
      const node = await nodes.open();
      const payment = await buyer.pay(node.url + path);
      slow.add(walletIn(path));
      const first = ask(node.url + path, payment);
      await until(() => callsFor(path) === 1);
      await sleep(PAYMENTS.leaseMs + 500);
      const second = await ask(other.url + path, payment);
      expect([second.status, second.code]).toEqual([409, 'payment_in_progress']);
      expect((await first).status).toBe(200);
      expect([transfersOf(buyer), callsFor(path)]).toEqual([1, 1]);
    },
    LIMIT_MS,
  );

  it.concurrent(
    'P22 stopped for longer than a reservation lasts: the other one takes over, and it notices',
    async () => {
      const buyer = await newBuyer(nodes.solana.mainnet);
      const path = newPath();
      const stopped = await nodes.open();
      const payment = await buyer.pay(stopped.url + path);
      slow.add(walletIn(path));
      const first = ask(stopped.url + path, payment);
      await until(() => callsFor(path) === 1);
      stopped.child.kill('SIGSTOP');
      const second = await askUntilDecided(other.url + path, payment, LIMIT_MS);
      expect([second.status, second.isReplayed]).toEqual([200, false]);
      stopped.child.kill('SIGCONT');
      const late = await first;
      expect([late.status, late.code]).toEqual([503, 'settlement_pending']);
      await sleep(200);
      const third = await askUntilDecided(stopped.url + path, payment, LIMIT_MS);
      expectServedOnce({ replies: [late, second, third], transfers: transfersOf(buyer) });
    },
    LIMIT_MS * 2,
  );
}
