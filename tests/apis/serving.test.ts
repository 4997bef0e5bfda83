import { describe, expect, it } from 'vitest';
import { officialFetch } from '../discovery/official-fetch.ts';
import { askSigned } from '../kit/wallet.ts';
import { documentPath, KEY, serveApis } from './apis.ts';

const { gateway, stub } = await serveApis({
  weather: {
    title: 'Weather',
    openapi: documentPath('weather.yaml'),
    key: { header: 'X-Api-Key', env: 'TEST_API_KEY' },
    requestsPerMinute: 1000,
    operations: { getForecast: {}, getHistory: { access: 'exact', price: '0.002' } },
  },
});

const FORECAST = '/v1/x402/weather/forecast/Rome?days=3&fields=date,celsius';
const HISTORY = '/v1/x402/solana/mainnet/weather/history';
const POST = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ city: 'Rome', from: 1_700_000_000 }),
};

describe('an API of the operator', () => {
  it('is free for a signature', async () => {
    const response = await askSigned(`${gateway.url}${FORECAST}`);
    expect([response.status, await response.json()]).toEqual([
      200,
      {
        ok: true,
        provider: 'weather',
        surface: 'weather',
        method: 'getForecast',
        result: { city: 'Rome', days: [{ date: '2026-11-24', celsius: 14.5 }] },
      },
    ]);
    const { target, headers } = stub.arrivals.at(-1) ?? {};
    expect([target, headers?.['x-api-key']]).toEqual(['/forecast/Rome?days=3&fields=date&fields=celsius', KEY]);
  });

  it('gets no request without a signature or a payment', async () => {
    const before = stub.arrivals.length;
    for (const [target, init] of [[FORECAST], [HISTORY, POST]] as const) {
      expect((await fetch(`${gateway.url}${target}`, init)).status).toBe(402);
    }
    expect(stub.arrivals).toHaveLength(before);
  });

  it('is bought by the official client', async () => {
    const buy = await officialFetch(gateway);
    const response = await buy(`${gateway.url}${HISTORY}`, POST);
    expect([response.status, await response.json()]).toMatchObject([
      200,
      { ok: true, provider: 'weather', cluster: 'mainnet', priceUsd: '0.002', result: { city: 'Rome', days: [] } },
    ]);
    expect(gateway.solana?.mainnet.transfers.at(-1)).toMatchObject({ amount: 2000n });
    expect(stub.arrivals.at(-1)).toMatchObject({ method: 'POST', target: '/history', body: POST.body });
  });

  it('names every violation of its schemas, and is not called', async () => {
    const before = stub.arrivals.length;
    const response = await askSigned(`${gateway.url}/v1/x402/weather/forecast/R0me?days=15&fields=rain&more=1`);
    const { issues } = (await response.json()) as { issues: { name: string; rule: string }[] };
    expect([response.status, issues.map(({ name, rule }) => `${name} ${rule}`).sort()]).toEqual([
      400,
      ['city pattern', 'days maximum', 'fields[0] enum', 'more additionalProperties'],
    ]);
    expect(stub.arrivals).toHaveLength(before);
  });

  it('is listed in the catalog with its title', async () => {
    const catalog = (await (await fetch(`${gateway.url}/v1/catalog`)).json()) as {
      categories: { providers: { id: string; label: string; routeCount: number }[] };
    };
    expect(catalog.categories.providers).toContainEqual(
      expect.objectContaining({ id: 'weather', label: 'Weather', routeCount: 2 }),
    );
    const ofOne = await fetch(`${gateway.url}/v1/catalog?provider=weather`);
    expect(await ofOne.json()).toMatchObject({ catalog: { returnedRoutes: 2, filters: { provider: 'weather' } } });
  });
});
