import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectBooksInOrder } from '../kit/books.ts';
import { inSuite } from '../kit/in-suite.ts';
import { openPostgresDatabase, postgresSuite } from '../kit/postgres.ts';
import { redisSuite, startRedis } from '../kit/redis.ts';
import { roundsOnEach } from '../kit/rounds.ts';
import { type SellingGateway, startChains } from '../kit/test-gateway.ts';
import { bodyOf, callOf, paymentFor, sendPaid } from '../payments/calls.ts';
import { askUntilDecided, type Reply } from '../payments/fault-buyer.ts';
import { openWallet, type Wallet } from '../payments/wallets.ts';
import { balanceOf, buyCredit, paymentOf, startCreditGateway } from './gateway.ts';

/** Each wallet asks for its own balance, which tells its calls from those of other wallets. */
const callFor = ({ address }: Wallet) => callOf('rpc.mainnet.helius.getBalance', { body: { params: [address] } });
const PRICE = 5;
const BUNDLE = 50_000;
const CALLS = 20;

/** The payments, and the number of transfers before they were sent. */
interface TwoPurchases {
  readonly wallet: Wallet;
  readonly payments: readonly object[];
  readonly transfers: number;
}

redisSuite('two gateways', () => postgresSuite('on one PostgreSQL and one Redis', suite));

function suite(): void {
  const redis = inSuite(startRedis);
  const database = inSuite(openPostgresDatabase);
  const solana = inSuite(() => startChains());
  let gateways: readonly SellingGateway[];
  beforeAll(async () => {
    const variables = { REDIS_URL: redis.url, DATABASE_URL: database.url, GATEWAY_SECRET: 's'.repeat(32) };
    gateways = await Promise.all([1, 2].map(() => startCreditGateway({ solana }, variables)));
  });
  afterAll(() => Promise.all(gateways.map((gateway) => gateway.stop())));

  const gatewayOf = (index: number): SellingGateway => gateways[index % gateways.length] as SellingGateway;
  const arrivalsOf = ({ address }: Wallet) =>
    solana.provider.arrivals.filter(({ body }) => body.includes(address)).length;
  const expectOrder = () => expectBooksInOrder({ url: database.url }, solana.mainnet.transfers);

  /** Sends a payment again until its outcome is known. */
  const finish = (payment: object, index: number, wallet: Wallet): Promise<Reply> => {
    const [{ url }, call] = [gatewayOf(index), callFor(wallet)];
    const header = Buffer.from(JSON.stringify(payment)).toString('base64');
    return askUntilDecided(url + call.target, header, 15_000, call.init);
  };

  /** Buys with one wallet at both gateways at once; with another wallet if PostgreSQL was too late on a busy machine. */
  async function buyTogether(attemptsLeft = 5): Promise<TwoPurchases> {
    const wallet = await openWallet(solana);
    const call = callFor(wallet);
    const calls = Array.from({ length: CALLS }, (_, index) => gatewayOf(index));
    const payments = await Promise.all(calls.map((gateway) => paymentOf(gateway, call, wallet, BUNDLE)));
    const transfers = solana.mainnet.transfers.length;
    // Every call is sent twice, as by a client that takes the first one for lost.
    const answers = await Promise.all(
      [0, 1].flatMap((copy) => calls.map((_, index) => sendPaid(gatewayOf(index + copy), call, payments[index]))),
    );
    const errors = await Promise.all(answers.map(async (answer) => (await bodyOf(answer)).error));
    if (errors.includes('state_unavailable') && attemptsLeft > 0) {
      await Promise.all(payments.map((payment, index) => finish(payment, index, wallet)));
      return buyTogether(attemptsLeft - 1);
    }
    for (const [index, { status }] of answers.entries()) {
      expect([200, 409]).toContain(status);
      if (status === 409) expect(errors[index]).toBe('payment_in_progress');
    }
    return { wallet, payments, transfers };
  }

  it('twenty calls at once on an empty balance, each with a bundle, settle once', { timeout: 60_000 }, async () => {
    const { wallet, payments, transfers } = await buyTogether();
    expect(solana.mainnet.transfers.length - transfers).toBe(1);
    for (const [index, payment] of payments.entries()) expect((await finish(payment, index, wallet)).status).toBe(200);
    expect(solana.mainnet.transfers.length - transfers).toBe(1);
    expect(arrivalsOf(wallet)).toBe(CALLS);
    const account = { grantedMicros: BUNDLE - PRICE, spentMicros: (CALLS - 1) * PRICE, heldMicros: 0 };
    expect(await balanceOf(gatewayOf(0), wallet)).toMatchObject(account);
    await expectOrder();
  });

  it('one payment that credit covers, sent to both at once, is charged once for one upstream call', async () => {
    const wallet = await openWallet(solana);
    const call = callFor(wallet);
    expect((await buyCredit(gatewayOf(0), wallet)).status).toBe(200);
    for (let round = 1; round <= roundsOnEach(20); round++) {
      const payment = await paymentFor(gatewayOf(round), call, wallet);
      const [transfers, arrivals] = [solana.mainnet.transfers.length, solana.provider.arrivals.length];
      await Promise.all(Array.from({ length: 12 }, (_, at) => sendPaid(gatewayOf(at), call, payment)));
      expect((await finish(payment, 1, wallet)).status).toBe(200);
      expect([solana.mainnet.transfers.length - transfers, solana.provider.arrivals.length - arrivals]).toEqual([0, 1]);
      expect(await balanceOf(gatewayOf(0), wallet)).toMatchObject({ spentMicros: round * PRICE, heldMicros: 0 });
    }
    await expectOrder();
  });
}
