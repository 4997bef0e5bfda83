import { NETWORKS, type Route, SIGN_IN_NETWORKS, USDC, type Values } from '@asset-gateway/protocol';
import { describe, expect, it } from 'vitest';
import { stopAfterTests } from '../kit/stop-after-tests.ts';
import { startTestGateway, type TestGateway } from '../kit/test-gateway.ts';
import { endpointOf, served, startEverything } from './everything.ts';

interface Catalog {
  readonly payment?: Values;
  readonly catalog: Values;
  readonly categories: { readonly providers: readonly Values[] };
  readonly routes: readonly Values[];
}

const gateway = await stopAfterTests(startEverything({ PRICE_SURCHARGE_USD_MICROS: '600' }));
const free = await stopAfterTests(startTestGateway());

const catalogOf = async ({ url }: TestGateway, query = ''): Promise<Catalog> =>
  (await (await fetch(`${url}/v1/catalog${query}`)).json()) as Catalog;

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** What is expected of an entry beside its schemas. */
function expectedOf({ cluster, provider, surface, method, description, access, ...route }: Route): object {
  const paid = cluster && {
    cluster,
    paymentNetwork: NETWORKS[cluster],
    paymentAsset: { symbol: 'USDC', mint: USDC[cluster], decimals: 6 },
  };
  return {
    path: route.path,
    httpMethod: route.httpMethod,
    provider,
    surface,
    method,
    description,
    accessMode: access,
    paymentRequired: access === 'exact',
    enabled: true,
    ...(access === 'siwx' ? { authNetworks: SIGN_IN_NETWORKS, priceUsd: '0.00' } : paid),
  };
}

const OPTIONAL = ['inputExample', 'pathParamsSchema', 'pathParamsExample', 'rules'];

describe('the catalog of everything', () => {
  it('says how it is paid, and counts sixty routes of three providers', async () => {
    const { routes: _, ...head } = await catalogOf(gateway);
    expect(head).toEqual({
      ok: true,
      version: 1,
      payment: {
        modes: ['siwx', 'exact'],
        networks: NETWORKS,
        pricingModel: 'per-request',
        asset: { symbol: 'USDC', mints: USDC, decimals: 6 },
      },
      catalog: { totalRoutes: 60, returnedRoutes: 60, filters: { provider: null } },
      categories: {
        providers: [
          { id: 'alchemy', label: 'Alchemy', routeCount: 15, href: '/v1/catalog?provider=alchemy' },
          { id: 'helius', label: 'Helius', routeCount: 26, href: '/v1/catalog?provider=helius' },
          { id: 'tokens', label: 'Tokens API', routeCount: 19, href: '/v1/catalog?provider=tokens' },
        ],
      },
    });
  });

  it.each(served.map((route, index) => [route.id, route, index] as const))('describes %s', async (_, route, index) => {
    const entry = (await catalogOf(gateway)).routes[index] ?? {};
    expect(entry).toMatchObject(expectedOf(route));
    const { input, example, rules, httpMethod } = route;
    const inBody = httpMethod === 'POST';
    const nothing = { type: 'object', properties: {}, additionalProperties: false };
    expect(entry.inputSchema).toEqual(plain((inBody ? input.body : input.query) ?? nothing));
    expect(entry.inputExample).toEqual(inBody ? example.body : example.query);
    expect(entry.pathParamsSchema).toEqual(input.path && plain(input.path));
    expect(entry.pathParamsExample).toEqual(example.path);
    expect(entry.rules).toEqual(rules.length > 0 ? rules.map(({ holds: _, choice: __, ...rule }) => rule) : undefined);
    const known = [...Object.keys(expectedOf(route)), 'priceUsd', 'inputSchema', 'outputSchema', ...OPTIONAL];
    expect(Object.keys(entry).filter((name) => !known.includes(name))).toEqual([]);
  });

  it('has the envelope of each route as its output', async () => {
    const { routes } = await catalogOf(gateway);
    for (const { outputSchema, accessMode, method } of routes) {
      const { required, properties } = outputSchema as { required: string[]; properties: Values };
      const paid = ['ok', 'provider', 'cluster', 'surface', 'method', 'priceUsd', 'result'];
      expect(required).toEqual(
        accessMode === 'exact' ? paid : paid.filter((name) => !['cluster', 'priceUsd'].includes(name)),
      );
      expect(properties).toMatchObject({ ok: { const: true }, method: { const: method } });
    }
  });

  it('names the price that a challenge asks for', async () => {
    const { routes } = await catalogOf(gateway);
    for (const { path, httpMethod, priceUsd } of routes.filter(({ accessMode }) => accessMode === 'exact')) {
      const response = await fetch(gateway.url + String(path), { method: String(httpMethod) });
      const { accepts } = (await response.json()) as { accepts: { amount: string }[] };
      expect(Math.round(Number(priceUsd) * 1_000_000)).toBe(Number(accepts[0]?.amount));
    }
  });

  it.each(['alchemy', 'helius', 'tokens'])(
    'shows the part of %s to whoever asks for that provider',
    async (provider) => {
      const [all, part] = [await catalogOf(gateway), await catalogOf(gateway, `?provider=${provider}`)];
      expect(part.routes).toEqual(all.routes.filter((entry) => entry.provider === provider));
      expect(part.catalog).toEqual({
        totalRoutes: 60,
        returnedRoutes: part.routes.length,
        filters: { provider },
      });
      const listed = part.categories.providers.find(({ id }) => id === provider);
      expect(listed?.routeCount).toBe(part.routes.length);
      expect(await catalogOf(gateway, String(listed?.href).split('?')[1]?.replace(/^/, '?'))).toEqual(part);
      expect([part.payment, part.categories]).toEqual([all.payment, all.categories]);
    },
  );
});

describe('where nothing is sold', () => {
  it('the catalog names no payment network and no asset, and lists the free routes alone', async () => {
    const { payment, routes, categories } = await catalogOf(free);
    expect(payment).toBeUndefined();
    expect(JSON.stringify(routes)).not.toMatch(/paymentNetwork|paymentAsset|USDC/);
    expect(categories.providers.map(({ id }) => id)).toEqual(['tokens']);
    expect(routes.map((entry) => `${entry.httpMethod} ${entry.path}`)).toEqual(
      served.filter(({ access }) => access === 'siwx').map(endpointOf),
    );
  });
});
