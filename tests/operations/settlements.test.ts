import { newKeypair } from '@asset-gateway/client/node';
import { type NETWORKS, USDC } from '@asset-gateway/protocol';
import bs58 from 'bs58';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { watchFeePayers } from '../../packages/gateway/src/compose/gauges.ts';
import { Meter } from '../../packages/gateway/src/metrics/meter.ts';
import { AnsweredPayments } from '../../packages/gateway/src/stages/trail.ts';
import {
  type SellingGateway,
  type SellingGatewayOptions,
  startChains,
  startSellingGateway,
} from '../kit/test-gateway.ts';
import { ask, askUntilDecided, newBuyer, newPath, ROOMY, until } from '../payments/fault-buyer.ts';
import { Scrape, scrape } from './scrape.ts';

const STATES = ['settled', 'refused', 'unknown', 'unsent'] as const;
const PRICE = 500;
const LABELS = { route: 'wallet.mainnet.helius.balances', surface: 'wallet' };

const start = (options: SellingGatewayOptions = {}) => startSellingGateway({ ...ROOMY, METRICS_PORT: '0' }, options);

/** A gateway, a wallet, the URL of an answer and a payment for it. */
async function open(options: SellingGatewayOptions = {}) {
  const seller = await start(options);
  const url = seller.url + newPath();
  const payment = await (await newBuyer(seller.solana.mainnet)).pay(url);
  return { seller, url, payment, since: seller.logLines.length };
}

/** The settlements of each state, the payments whose outcome is open, and the revenue. */
async function counts({ gateway }: SellingGateway) {
  const scraped = await scrape(gateway);
  const counted = STATES.map((state) => scraped.sum('asset_gateway_settlements_total', { state }));
  const revenue = scraped.sum('asset_gateway_revenue_usd_micros_total', LABELS) ?? 0;
  return { counted, open: scraped.sum('asset_gateway_settlements_open'), revenue };
}

/** The money of each request in the log since then. */
const moneyIn = ({ logLines }: SellingGateway, since: number) =>
  logLines
    .slice(since)
    .map((line) => JSON.parse(line))
    .filter(({ msg }) => msg === 'request')
    .map(({ status, route, paidMicros, asset, transaction, replayed }) => {
      return { status, route, paidMicros, asset, transaction, replayed };
    });

describe.concurrent('settlements are counted by their outcome, and revenue once', () => {
  it('settled; a repeat of the same payment settles nothing', async () => {
    const { seller, url, payment, since } = await open();
    expect(await counts(seller)).toEqual({ counted: [0, 0, 0, 0], open: 0, revenue: 0 });
    for (let round = 0; round < 3; round++) expect((await ask(url, payment)).status).toBe(200);
    const { route } = LABELS;
    const transaction = seller.solana.mainnet.transfers[0]?.signature;
    const again = { status: 200, route, transaction, replayed: true };
    const first = { status: 200, route, transaction, paidMicros: PRICE, asset: USDC.mainnet };
    expect(moneyIn(seller, since)).toEqual([first, again, again]);
    expect(await counts(seller)).toEqual({ counted: [1, 0, 0, 0], open: 0, revenue: PRICE });
    const scraped = await scrape(seller.gateway);
    expect(scraped.labelNames('asset_gateway_revenue_usd_micros_total')).toEqual(['route', 'surface']);
    expect(seller.solana.mainnet.transfers).toHaveLength(1);
  });

  it('unknown, and open until the chain shows it: then settled', async () => {
    const { seller, url, payment, since } = await open();
    const { mainnet } = seller.solana;
    Object.assign(mainnet.faults, { dropAfterBroadcast: true, lie: { statusMissing: true } });
    expect((await ask(url, payment)).code).toBe('settlement_pending');
    expect(moneyIn(seller, since)).toEqual([{ status: 503, route: LABELS.route }]);
    expect(await counts(seller)).toEqual({ counted: [0, 0, 1, 0], open: 1, revenue: 0 });
    mainnet.faults.reset();
    for (let round = 0; round < 2; round++) expect((await askUntilDecided(url, payment)).isReplayed).toBe(true);
    const answered = moneyIn(seller, since).filter(({ status }) => status === 200);
    const paid = answered.map(({ paidMicros, replayed }) => ({ paidMicros, replayed }));
    expect(paid).toEqual([{ paidMicros: PRICE }, { replayed: true }]);
    expect(await counts(seller)).toEqual({ counted: [1, 0, 1, 0], open: 0, revenue: PRICE });
  });

  it('refused: two payments, and money for one', async () => {
    const seller = await start();
    const buyer = await newBuyer(seller.solana.mainnet, 500n);
    const urls = [seller.url + newPath(), seller.url + newPath()];
    const payments = await Promise.all(urls.map((url) => buyer.pay(url)));
    seller.solana.provider.faults.delayMs = 500;
    const replies = await Promise.all(urls.map((url, index) => ask(url, payments[index])));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 402]);
    expect(await counts(seller)).toEqual({ counted: [1, 1, 0, 0], open: 0, revenue: PRICE });
  });

  it('unsent: the RPC takes no request between the upstream and the chain', async () => {
    const solana = await startChains();
    const onStep: SellingGatewayOptions['onStep'] = (step) => {
      if (step === 'store') solana.mainnet.faults.status = 429;
    };
    const { seller, url, payment } = await open({ solana, onStep });
    const reply = await ask(url, payment);
    expect([reply.status, reply.code]).toEqual([503, 'facilitator_unavailable']);
    expect(await counts(seller)).toEqual({ counted: [0, 0, 0, 1], open: 0, revenue: 0 });
    expect(solana.mainnet.transfers).toEqual([]);
    await seller.stop();
    await solana.close();
  });
});

describe('the first answer to a payment', () => {
  const sale = { micros: 5, asset: USDC.mainnet, transaction: 'one', isRepeat: false };

  it('is distinguished from repeats while the answer is owed, and forgotten when it is no longer kept', () => {
    const answered = new AnsweredPayments();
    const first = [0, 1, 600_000, 659_999].map((nowMs) => answered.isFirst(sale, nowMs));
    expect(first).toEqual([true, false, false, false]);
    expect(answered.isFirst({ ...sale, transaction: 'two' }, 600_000)).toBe(true);
    expect(answered.isFirst({ ...sale, transaction: 'three', isRepeat: true }, 600_000)).toBe(false);
    expect(answered.isFirst(sale, 660_000)).toBe(true);
  });
});

describe('the fee payer', () => {
  afterEach(() => vi.useRealTimers());

  it('has a balance on each cluster as the chains say it, also when little is left', async () => {
    const solana = await startChains();
    const keypair = newKeypair();
    solana.mainnet.airdrop(bs58.encode(keypair.subarray(32)), 1_500_000n);
    solana.devnet.airdrop(bs58.encode(keypair.subarray(32)), 7_000_000_000n);
    const FEE_PAYER_KEYPAIR = bs58.encode(keypair);
    const seller = await startSellingGateway({ METRICS_PORT: '0', FEE_PAYER_KEYPAIR }, { solana });
    const balance = async (cluster: keyof typeof NETWORKS) =>
      (await scrape(seller.gateway)).sum('asset_gateway_fee_payer_lamports', { cluster });
    await until(async () => (await balance('devnet')) !== undefined);
    expect([await balance('mainnet'), await balance('devnet')]).toEqual([1_500_000, 7_000_000_000]);
    await seller.stop();
    await solana.close();
  });

  it('is asked for once a minute, and is not shown while the chain cannot be read', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const answers = [5, undefined, 3].map((lamports) => ({ cluster: 'mainnet', lamports }));
    const meter = new Meter();
    const shown = async () => new Scrape(await meter.registry.metrics()).sum('asset_gateway_fee_payer_lamports');
    const watch = watchFeePayers(meter, async () => answers.splice(0, 1));
    await vi.advanceTimersByTimeAsync(0);
    expect(await shown()).toBe(5);
    await vi.advanceTimersByTimeAsync(59_999);
    expect(await shown()).toBe(5);
    await vi.advanceTimersByTimeAsync(1);
    expect(await shown()).toBeUndefined();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await shown()).toBe(3);
    watch.close();
    expect(vi.getTimerCount()).toBe(0);
  });
});
