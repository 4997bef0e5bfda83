import { readFileSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import { buyCredit, spend, startCreditGateway } from '../credit/gateway.ts';
import { inSuite } from '../kit/in-suite.ts';
import { askPostgres, postgresSuite, startPostgres } from '../kit/postgres.ts';
import type { SellingGateway } from '../kit/test-gateway.ts';
import { callOf } from '../payments/calls.ts';
import { ask, askUntilDecided, newBuyer, newPath } from '../payments/fault-buyer.ts';
import { openWallet } from '../payments/wallets.ts';
import { salesPanels } from './monitoring.ts';

const VIEWS = 'journal, credit_balances, open_payments, sales_by_hour';
const HOUR_MS = 3_600_000;
/** Of `GET …/balances`, and of the smallest bundle. */
const [PRICE, BUNDLE] = [500, 50_000];

type Rows = readonly Readonly<Record<string, unknown>>[];

/** A panel's SQL with Grafana's macros replaced, for mainnet and the last six hours. */
function expanded(sql: string): string {
  const [from, to] = [-6 * HOUR_MS, HOUR_MS].map((ms) => new Date(Date.now() + ms).toISOString());
  return sql
    .replaceAll(/\$__timeFilter\((\w+)\)/g, `$1 between '${from}' and '${to}'`)
    .replaceAll(/\$__timeGroup\((\w+), '1h'\)/g, 'floor(extract(epoch from $1) / 3600) * 3600')
    .replaceAll('$cluster', 'mainnet');
}

const dollars = (micros: number): number => micros / 1e6;
const sumOf = (rows: Rows, column: string): number => rows.reduce((sum, row) => sum + Number(row[column]), 0);

/** Sells two calls and a bundle, spends credit on a call, refuses a payment and loses the outcome of another. */
async function sellEverything(gateway: SellingGateway): Promise<void> {
  const { mainnet } = gateway.solana;
  const first = gateway.url + newPath();
  expect((await askUntilDecided(first, await (await newBuyer(mainnet)).pay(first))).status).toBe(200);
  const wallet = await openWallet(gateway.solana);
  expect((await buyCredit(gateway, wallet, BUNDLE)).status).toBe(200);
  expect((await spend(gateway, callOf('rpc.mainnet.helius.getBalance'), wallet.signIn)).status).toBe(200);
  const poor = await newBuyer(mainnet, BigInt(PRICE));
  const urls = [newPath(), newPath()].map((path) => gateway.url + path);
  const payments = await Promise.all(urls.map((url) => poor.pay(url)));
  gateway.solana.provider.faults.delayMs = 500;
  const replies = await Promise.all(urls.map((url, index) => ask(url, payments[index])));
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 402]);
  gateway.solana.provider.faults.reset();
  Object.assign(mainnet.faults, { dropAfterBroadcast: true, lie: { statusMissing: true } });
  const last = gateway.url + newPath();
  expect((await ask(last, await (await newBuyer(mainnet)).pay(last))).code).toBe('settlement_pending');
}

postgresSuite('the dashboard of sales', () => {
  const server = inSuite(startPostgres);
  const gateway = inSuite(() => startCreditGateway({}, { DATABASE_URL: server.url() }));
  const results = new Map<string, Rows>();
  beforeAll(async () => {
    await sellEverything(gateway);
    await server.query(`create role reader login; grant select on ${VIEWS} to reader`);
    for (const { title, targets = [] } of salesPanels) {
      for (const { rawSql } of targets) {
        results.set(title, await askPostgres(server.url('postgres', 'reader'), expanded(rawSql)));
      }
    }
  }, 60_000);

  const rowsOf = (title: string): Rows => results.get(title) ?? [];
  const figureIn = (title: string): number => Number(Object.values(rowsOf(title)[0] ?? {})[0]);

  it('has queries that read the four views and nothing else, each with a row', () => {
    expect(results.size).toBe(salesPanels.filter(({ type }) => type !== 'row').length);
    expect([...results].filter(([, rows]) => rows.length === 0)).toEqual([]);
  });

  it('shows sales by hour and by route', () => {
    const sold = dollars(2 * PRICE + BUNDLE);
    expect([figureIn('Sold'), figureIn('Sales')]).toEqual([sold, 3]);
    for (const title of ['Sold per hour', 'Sold per hour by route'])
      expect(sumOf(rowsOf(title), 'sold')).toBeCloseTo(sold, 9);
    const routes = rowsOf('By route').map(({ route, sales, dollars: each }) => [route, Number(sales), Number(each)]);
    const calls = ['wallet.mainnet.helius.balances', 2, dollars(2 * PRICE)];
    expect(routes).toEqual([['credit.mainnet.buy', 1, dollars(BUNDLE)], calls]);
  });

  it('shows fees, also of refused payments', () => {
    const fees = figureIn('Fees, SOL');
    expect(fees).toBeGreaterThanOrEqual(3 * 10_000e-9);
    expect(sumOf(rowsOf('Fees per hour, SOL'), 'fees')).toBeCloseTo(fees, 9);
  });

  it('shows credit that was bought, spent and not spent yet', () => {
    const [{ bought, spent, balance } = {}] = rowsOf('Largest balances');
    expect([Number(bought), Number(spent) > 0]).toEqual([dollars(BUNDLE), true]);
    expect(Number(balance)).toBeCloseTo(Number(bought) - Number(spent), 9);
    expect(figureIn('Credit outstanding')).toBe(Number(balance));
    for (const [kind, moved] of Object.entries({ grant: bought, debit: spent })) {
      const rows = rowsOf('Credit bought and spent').filter(({ metric }) => metric === kind);
      expect(sumOf(rows, 'dollars')).toBeCloseTo(Number(moved), 9);
    }
  });

  it('shows refusals and open payments', () => {
    expect(sumOf(rowsOf('Refusals per hour'), 'refusals')).toBe(1);
    expect(rowsOf('Refusals')).toMatchObject([{ route: 'wallet.mainnet.helius.balances', dollars: expect.anything() }]);
    expect(figureIn('Open payments')).toBe(rowsOf('Each open payment').length);
    expect(figureIn('Oldest open payment')).toBeGreaterThan(0);
  });

  it('reads the time of a chart from a column `time`, and uses no macro that this test does not replace', () => {
    const queries = salesPanels.flatMap(({ type, targets = [] }) =>
      targets.map(({ rawSql }) => [type, rawSql] as const),
    );
    expect(queries.filter(([type, sql]) => type === 'timeseries' && !/ as time,/.test(sql))).toEqual([]);
    expect(queries.filter(([, sql]) => expanded(sql).includes('$'))).toEqual([]);
    expect(JSON.parse(readFileSync('deploy/grafana/sales.json', 'utf8')).templating.list).toHaveLength(2);
  });
});
