import { USDC } from '@asset-gateway/protocol';
import { describe, expect, it } from 'vitest';
import { Sales } from '../../packages/gateway/src/stages/trail.ts';
import { type SellingGateway, startSellingGateway } from '../kit/selling-gateway.ts';
import { stoppedAfterTests } from '../kit/stop-after-tests.ts';
import { ask, askUntilDecided, newBuyer, newPath, ROOMY } from '../payments/fault-buyer.ts';
import { scrape } from './scrape.ts';

const PRICE = 500;
const LABELS = { route: 'wallet.mainnet.helius.balances', surface: 'wallet' };

const open = stoppedAfterTests(() => startSellingGateway({ ...ROOMY, METRICS_PORT: '0' }));

const revenue = async ({ gateway }: SellingGateway) =>
  (await scrape(gateway)).sum('asset_gateway_revenue_usd_micros_total', LABELS);

/** The money of each request in the log since then. */
const moneyIn = ({ logLines }: SellingGateway, since: number) =>
  logLines
    .slice(since)
    .map((line) => JSON.parse(line))
    .filter(({ msg }) => msg === 'request')
    .map(({ status, route, paidMicros, asset, transaction, replayed }) => {
      return { status, route, paidMicros, asset, transaction, replayed };
    });

describe('an answer that was paid for', () => {
  it('is logged with its amount, asset and transaction, and counts once', async () => {
    const seller = await open();
    const url = seller.url + newPath();
    const payment = await (await newBuyer(seller.solana.mainnet)).pay(url);
    const since = seller.logLines.length;
    for (let round = 0; round < 3; round++) expect((await ask(url, payment)).status).toBe(200);
    const [transfer] = seller.solana.mainnet.transfers;
    const { route } = LABELS;
    const transaction = transfer?.signature;
    const again = { status: 200, route, transaction, replayed: true };
    expect(moneyIn(seller, since)).toEqual([
      { status: 200, route, transaction, paidMicros: PRICE, asset: USDC.mainnet },
      again,
      again,
    ]);
    expect(await revenue(seller)).toBe(PRICE);
    expect((await scrape(seller.gateway)).labelNames('asset_gateway_revenue_usd_micros_total')).toEqual([
      'route',
      'surface',
    ]);
  });

  it('after an unknown outcome counts once, when it is answered', async () => {
    const seller = await open();
    const { mainnet } = seller.solana;
    const url = seller.url + newPath();
    const payment = await (await newBuyer(mainnet)).pay(url);
    Object.assign(mainnet.faults, { dropAfterBroadcast: true, lie: { statusMissing: true } });
    const since = seller.logLines.length;
    expect((await ask(url, payment)).code).toBe('settlement_pending');
    expect(moneyIn(seller, since)).toEqual([{ status: 503, route: LABELS.route }]);
    expect(await revenue(seller)).toBeUndefined();
    mainnet.faults.reset();
    for (let round = 0; round < 2; round++) expect((await askUntilDecided(url, payment)).isReplayed).toBe(true);
    const answered = moneyIn(seller, since).filter(({ status }) => status === 200);
    expect(answered.map(({ paidMicros, replayed }) => [paidMicros, replayed])).toEqual([
      [PRICE, undefined],
      [undefined, true],
    ]);
    expect(await revenue(seller)).toBe(PRICE);
  });

  it('that its upstream did not give is no revenue', async () => {
    const seller = await open();
    const url = seller.url + newPath();
    const payment = await (await newBuyer(seller.solana.mainnet)).pay(url);
    seller.solana.provider.faults.status = 500;
    const since = seller.logLines.length;
    expect((await ask(url, payment)).code).toBe('upstream_error');
    expect(moneyIn(seller, since)).toEqual([{ status: 502, route: LABELS.route }]);
    expect(await revenue(seller)).toBeUndefined();
    expect(seller.solana.mainnet.transfers).toEqual([]);
  });
});

describe('the first answer to a payment', () => {
  const sale = { micros: 5, asset: USDC.mainnet, transaction: 'one', isRepeat: false };

  it('is distinguished from repeats, also while the answer is owed', () => {
    const sales = new Sales();
    expect([0, 1, 600_000].map((nowMs) => sales.isFirst(sale, nowMs))).toEqual([true, false, false]);
    expect(sales.isFirst({ ...sale, transaction: 'two' }, 600_000)).toBe(true);
    expect(sales.isFirst({ ...sale, transaction: 'three', isRepeat: true }, 600_000)).toBe(false);
  });

  it('is forgotten when its answer is no longer kept', () => {
    const sales = new Sales();
    expect(sales.isFirst(sale, 0)).toBe(true);
    expect(sales.isFirst(sale, 659_999)).toBe(false);
    expect(sales.isFirst(sale, 660_000)).toBe(true);
  });
});
