import { NETWORKS, SIGN_IN_NETWORKS, USDC, type Values } from '@asset-gateway/protocol';
import { describe, expect, it } from 'vitest';
import { ofEachMethod } from '../http/targets.ts';
import { challengeFrom, expectChallenge, expectEntry, expectOperation } from './checks.ts';
import { served, startEverything } from './everything.ts';
import { type OpenApiDocument, operationOf } from './openapi-document.ts';

interface Catalog {
  readonly payment?: Values;
  readonly catalog: Values;
  readonly categories: { readonly providers: readonly Values[] };
  readonly routes: readonly Values[];
}

const gateway = await startEverything({ SETTLEMENT_FEE_USD_MICROS: '600' });

const catalogOf = async (query = ''): Promise<Catalog> =>
  (await (await fetch(`${gateway.url}/v1/catalog${query}`)).json()) as Catalog;
const catalog = await catalogOf();
const openApi = (await (await fetch(`${gateway.url}/openapi.json`)).json()) as OpenApiDocument;

it.each(served.map((route, index) => [route.id, route, index] as const))(
  '%s is the same in the table, in the catalog, in OpenAPI and in its challenge',
  async (_, route, index) => {
    const entry = catalog.routes[index] ?? {};
    expectEntry(entry, route);
    expectOperation(operationOf(openApi, route), route);
    const { cluster, provider, surface, method } = route;
    const isPaid = route.access === 'exact';
    expect(entry).toMatchObject({ path: route.path, httpMethod: route.httpMethod, provider, surface, method });
    const { required } = await challengeFrom(gateway.url, route, route.path);
    expect(Math.round(Number(entry.priceUsd) * 1_000_000)).toBe(Number(required.accepts[0]?.amount ?? 0));
    const members = ['ok', 'provider', ...(isPaid ? ['cluster'] : []), 'surface', 'method'];
    expect(entry).toMatchObject({
      paymentRequired: isPaid,
      enabled: true,
      outputSchema: { required: [...members, ...(isPaid ? ['priceUsd'] : []), 'result'] },
      ...(cluster
        ? {
            cluster,
            paymentNetwork: NETWORKS[cluster],
            paymentAsset: { symbol: 'USDC', mint: USDC[cluster], decimals: 6 },
          }
        : { authNetworks: SIGN_IN_NETWORKS, priceUsd: '0.00' }),
    });
  },
);

it.each(served.filter((route) => ofEachMethod.includes(route)).map((route) => [route.id, route] as const))(
  'the challenge of %s describes it in header and body, as the official validators and OpenAPI want',
  (_, route) => expectChallenge(gateway.url, route, openApi),
);

const countOf = (provider: string): number => served.filter((row) => row.provider === provider).length;

describe('the catalog', () => {
  it('names the ways to pay, and counts the routes of each provider', () => {
    const { routes: _, ...head } = catalog;
    expect(head).toEqual({
      ok: true,
      version: 1,
      payment: {
        modes: ['siwx', 'exact'],
        networks: NETWORKS,
        pricingModel: 'per-request',
        asset: { symbol: 'USDC', mints: USDC, decimals: 6 },
      },
      catalog: { totalRoutes: served.length, returnedRoutes: served.length, filters: { provider: null } },
      categories: {
        providers: [
          { id: 'alchemy', label: 'Alchemy', routeCount: countOf('alchemy'), href: '/v1/catalog?provider=alchemy' },
          { id: 'helius', label: 'Helius', routeCount: countOf('helius'), href: '/v1/catalog?provider=helius' },
          { id: 'tokens', label: 'Tokens API', routeCount: countOf('tokens'), href: '/v1/catalog?provider=tokens' },
        ],
      },
    });
  });

  it.each(['alchemy', 'helius', 'tokens'])('filtered by %s lists the routes of that provider', async (provider) => {
    const part = await catalogOf(`?provider=${provider}`);
    const routes = catalog.routes.filter((entry) => entry.provider === provider);
    const counts = { totalRoutes: served.length, returnedRoutes: routes.length, filters: { provider } };
    expect(part).toEqual({ ...catalog, routes, catalog: counts });
  });
});
