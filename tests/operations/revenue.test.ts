import { routes, USDC } from '@asset-gateway/protocol';
import { afterAll, describe, expect, it } from 'vitest';
import { Sales } from '../../packages/gateway/src/stages/trail.ts';
import { type SellingGateway, startSellingGateway } from '../kit/selling-gateway.ts';
import { ask, askUntilDecided, newBuyer, newPath, ROOMY } from '../payments/fault-buyer.ts';
import { scrape } from './scrape.ts';

const PRICE = 500;
const LABELS = { route: 'wallet.mainnet.helius.balances', surface: 'wallet' };

const sellers: SellingGateway[] = [];
afterAll(() => Promise.all(sellers.map((seller) => seller.stop())));

async function open(): Promise<SellingGateway> {
  const seller = await startSellingGateway({ ...ROOMY, METRICS_PORT: '0' });
  sellers.push(seller);
  return seller;
}

const revenue = async ({ gateway }: SellingGateway) =>
  (await scrape(gateway)).sum('asset_gateway_revenue_usd_micros_total', LABELS);

/** What the log says of the money of each request since then. */
const moneyIn = ({ logLines }: SellingGateway, since: number) =>
  logLines
    .slice(since)
    .map((line) => JSON.parse(line))
    .filter(({ msg }) => msg === 'request')
    .map(({ status, route, paidMicros, asset, transaction, replayed }) => {
      return { status, route, paidMicros, asset, transaction, replayed };
    });

describe('an answer that was paid for', () => {
  it('is in the log with its amount, asset and transaction, and counts once, however often it comes again', async () => {
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

  it('after its outcome was unknown counts when it is answered, and then no more', async () => {
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

  it('is labelled with rows of the table alone', async () => {
    const [seller] = sellers;
    if (!seller) throw new Error('nothing was sold');
    const { text } = await scrape(seller.gateway);
    const lines = text.split('\n').filter((line) => line.startsWith('asset_gateway_revenue'));
    const ids = routes.map(({ id }) => id);
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) expect(ids).toContain(/route="([^"]+)"/.exec(line)?.[1]);
  });
});

describe('the first answer to a payment', () => {
  const sale = { micros: 5, asset: USDC.mainnet, transaction: 'one', isRepeat: false };

  it('is told from those that follow, also while the answer is still owed', () => {
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
