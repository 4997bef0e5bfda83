import { afterAll, beforeAll, expect, it } from 'vitest';
import { type SolanaSandbox, startSolanaSandbox } from '../../packages/sandbox/src/solana-sandbox.ts';
import { type RedisServer, redisSuite, startRedis } from '../kit/redis.ts';
import { CANARY_PROVIDER_KEY, type SellingGateway } from '../kit/selling-gateway.ts';
import { bodyOf, callOf, sendPaid } from '../payments/calls.ts';
import { askUntilDecided, type Reply } from '../payments/fault-buyer.ts';
import { openWallet, type Wallet } from '../payments/wallets.ts';
import { balanceOf, paymentOf, startCreditGateway } from './gateway.ts';

/** Each wallet asks for its own balance, so that its calls are told from those of another one. */
const callFor = ({ address }: Wallet) => callOf('rpc.mainnet.helius.getBalance', { body: { params: [address] } });
const PRICE = 5;
const BUNDLE = 50_000;
const CALLS = 20;

/** What was signed, and how many transfers there were before it was sent. */
interface TwoPurchases {
  readonly wallet: Wallet;
  readonly payments: readonly object[];
  readonly transfers: number;
}

redisSuite('two gateways on one Redis', () => {
  let redis: RedisServer;
  let solana: SolanaSandbox;
  let gateways: readonly SellingGateway[];
  beforeAll(async () => {
    redis = await startRedis({ appendonly: 'yes' });
    solana = await startSolanaSandbox({ key: CANARY_PROVIDER_KEY });
    const variables = { REDIS_URL: redis.url, GATEWAY_SECRET: 's'.repeat(32) };
    gateways = await Promise.all([0, 1].map(() => startCreditGateway({ solana }, variables)));
  });
  afterAll(async () => {
    await Promise.all(gateways.map((gateway) => gateway.stop()));
    await solana.close();
    await redis.stop();
  });

  const gatewayOf = (index: number): SellingGateway => gateways[index % gateways.length] as SellingGateway;

  /** Sends a payment again until its outcome is known. */
  const finish = (payment: object, index: number, wallet: Wallet): Promise<Reply> => {
    const [{ url }, call] = [gatewayOf(index), callFor(wallet)];
    const header = Buffer.from(JSON.stringify(payment)).toString('base64');
    return askUntilDecided(url + call.target, header, 15_000, call.init);
  };

  /** Buys with one wallet from both at once; with another one where a Redis was too late on a busy machine, as that is another test. */
  async function buyTogether(attemptsLeft = 5): Promise<TwoPurchases> {
    const wallet = await openWallet(solana);
    const call = callFor(wallet);
    const calls = Array.from({ length: CALLS }, (_, index) => gatewayOf(index));
    const payments = await Promise.all(calls.map((gateway) => paymentOf(gateway, call, wallet, BUNDLE)));
    const transfers = solana.mainnet.transfers.length;
    // Every call is sent twice, as a client does whose first one seems to be lost.
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
    const arrivals = solana.provider.arrivals.filter(({ body }) => body.includes(wallet.address));
    expect(arrivals.length).toBe(CALLS);
    expect(await balanceOf(gatewayOf(0), wallet)).toMatchObject({
      grantedMicros: BUNDLE - PRICE,
      spentMicros: (CALLS - 1) * PRICE,
      heldMicros: 0,
    });
  });
});
