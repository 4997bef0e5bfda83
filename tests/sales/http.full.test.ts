import { networkInterfaces } from 'node:os';
import { request } from 'undici';
import { beforeAll, describe, expect, it } from 'vitest';
import { inSuite } from '../kit/in-suite.ts';
import { postgresSuite, startPostgres } from '../kit/postgres.ts';
import { startSellingGateway } from '../kit/test-gateway.ts';
import { Scrape, scrape } from '../operations/scrape.ts';
import { until } from '../payments/fault-buyer.ts';
import { buyOnce } from '../payments/sale.ts';

const TOKEN = 'a-token-for-sales';
const elsewhere = Object.values(networkInterfaces())
  .flat()
  .find((each) => each?.family === 'IPv4' && !each.internal)?.address;

/** Asks with headers that fetch would not send. */
async function askRaw(url: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' | 'POST' = 'GET') {
  const response = await request(url, { headers, method });
  return { status: response.statusCode, headers: response.headers, text: await response.body.text() };
}

describe('/sales', () => {
  const gateway = inSuite(() =>
    startSellingGateway({ METRICS_PORT: '0', METRICS_HOST: '0.0.0.0', SOL_PRICE_USD: '150' }),
  );
  let origin: string;
  beforeAll(() => {
    origin = `http://127.0.0.1:${new URL(gateway.gateway.metricsUrl ?? '').port}`;
  });

  it('returns sales, fees and the margin, and the metrics count the same', async () => {
    await buyOnce(gateway);
    await buyOnce(gateway);
    const { status, headers, text } = await askRaw(`${origin}/sales?since=1h&by=route`);
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([200, 'application/json', 'no-store']);
    const [transfer] = gateway.solana.mainnet.transfers.slice(-1);
    const settled = 2 * Number(transfer?.amount);
    const scrape = new Scrape(await (await fetch(`${origin}/metrics`)).text());
    const lamports = scrape.sum('asset_gateway_fee_lamports_total', { cluster: 'mainnet' });
    const counted = { kind: 'settlement', cluster: 'mainnet' };
    expect(scrape.sum('asset_gateway_journal_usd_micros_total', counted)).toBe(settled);
    expect(scrape.sum('asset_gateway_sol_price_usd')).toBe(150);
    const told = JSON.parse(text) as { isComplete: boolean; sales: Record<string, unknown>[] };
    expect([told.isComplete, told.sales.length]).toEqual([true, 1]);
    expect(told.sales[0]).toMatchObject({
      ...{ cluster: 'mainnet', route: 'wallet.mainnet.helius.balances', settlements: 2, settled_usd_micros: settled },
      ...{ fee_lamports: lamports, margin_usd_micros: settled - Math.round(((lamports ?? 0) * 150) / 1_000) },
    });
    await buyOnce(gateway);
    expect(JSON.parse((await askRaw(`${origin}/sales?by=cluster`)).text).sales[0].settlements).toBe(3);
  });

  it.each(['?since=yesterday', '?by=colour', '?colour=red', '?by=day&by=route', '?limit=0', '?limit=-1', '?limit=1e2'])(
    '%s is refused with 400',
    async (query) => {
      expect(await askRaw(`${origin}/sales${query}`)).toMatchObject({ status: 400, text: '' });
    },
  );

  it('refuses other methods, and answers HEAD without a body', async () => {
    expect((await askRaw(`${origin}/sales`, {}, 'POST')).status).toBe(405);
    expect(await askRaw(`${origin}/sales`, {}, 'HEAD')).toMatchObject({ status: 200, text: '' });
  });

  it.runIf(elsewhere)('without a token refuses another address, which may read the metrics', async () => {
    const away = origin.replace('127.0.0.1', elsewhere ?? '');
    const host = { host: 'localhost' };
    expect((await askRaw(`${away}/sales`, host)).status).toBe(403);
    expect((await askRaw(`${away}/metrics`, host)).status).toBe(200);
  });

  it('with a token refuses requests without it, also from this machine', async () => {
    const guarded = await startSellingGateway({ METRICS_PORT: '0', METRICS_TOKEN: TOKEN }, { solana: gateway.solana });
    const url = new URL('/sales', guarded.gateway.metricsUrl).href;
    for (const authorization of ['', TOKEN, `Bearer ${TOKEN}x`, `Basic ${TOKEN}`, 'Bearer ']) {
      const { status, headers } = await askRaw(url, { authorization });
      expect([authorization, status, headers['www-authenticate']]).toEqual([authorization, 401, 'Bearer']);
    }
    expect((await askRaw(url, { authorization: `Bearer ${TOKEN}`, host: 'metrics.example' })).status).toBe(200);
    expect((await askRaw(url.replace('/sales', '/metrics'))).status).toBe(200);
    await guarded.stop();
  });
});

postgresSuite('/sales with PostgreSQL', () => {
  it('answers 503 while the database does not answer, and is complete again afterwards', async () => {
    const postgres = await startPostgres();
    const variables = { METRICS_PORT: '0', DATABASE_URL: postgres.url(await postgres.createDatabase()) };
    const gateway = await startSellingGateway(variables);
    const url = new URL('/sales?by=cluster', gateway.gateway.metricsUrl).href;
    await buyOnce(gateway);
    const before = await askRaw(url);
    const openSettlements = async () => (await scrape(gateway.gateway)).sum('asset_gateway_settlements_open');
    await until(async () => (await openSettlements()) === 0);
    await postgres.kill();
    expect(await askRaw(url)).toMatchObject({ status: 503, text: '' });
    // The metrics are given out without what only the database knows.
    await until(async () => (await openSettlements()) === undefined);
    await postgres.start();
    await until(async () => (await askRaw(url)).status === 200);
    const { sales, isComplete } = JSON.parse((await askRaw(url)).text);
    expect(sales).toEqual(JSON.parse(before.text).sales);
    expect([sales.length, isComplete]).toEqual([1, true]);
    await gateway.stop();
    await postgres.stop();
  }, 60_000);
});
