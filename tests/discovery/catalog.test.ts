import { NETWORKS, type Route, SIGN_IN_NETWORKS, USDC, type Values } from '@asset-gateway/protocol';
import { describe, expect, it } from 'vitest';
import { stopAfterTests } from '../kit/stop-after-tests.ts';
import { startTestGateway, type TestGateway } from '../kit/test-gateway.ts';
import { challengeIn, endpointOf, served, startEverything } from './everything.ts';
import { type OpenApiDocument, operationOf } from './openapi-document.ts';

interface Catalog {
  readonly payment?: Values;
  readonly catalog: Values;
  readonly categories: { readonly providers: readonly Values[] };
  readonly routes: readonly Values[];
}

interface Schema {
  readonly properties?: object;
  readonly required?: readonly string[];
}

const gateway = await stopAfterTests(startEverything({ PRICE_SURCHARGE_USD_MICROS: '600' }));
const free = await stopAfterTests(startTestGateway());

const catalogOf = async ({ url }: TestGateway, query = ''): Promise<Catalog> =>
  (await (await fetch(`${url}/v1/catalog${query}`)).json()) as Catalog;
const catalog = await catalogOf(gateway);
const openApi = (await (await fetch(`${gateway.url}/openapi.json`)).json()) as OpenApiDocument;

const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value ?? null)) as T;
/** OpenAPI closes tuples, which tests/discovery/generators.test.ts checks. */
const withOpenTuples = (schema: unknown): unknown =>
  JSON.parse(JSON.stringify(schema), (_, value) => (value?.prefixItems ? { ...value, items: undefined } : value));
/** The properties of an object schema, and which of them are required. */
const objectOf = (schema: Schema | undefined) => ({
  properties: schema?.properties ?? {},
  required: schema?.required ?? [],
});

/** What each document says about a route. */
interface View {
  readonly access: string;
  readonly description: string;
  readonly path: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly examples: Route['example'];
  readonly rules: readonly object[];
}

function tableView({ access, description, input, example, rules }: Route): View {
  return plain({
    access,
    description,
    path: objectOf(input.path),
    query: objectOf(input.query),
    body: input.body ? withOpenTuples(input.body) : null,
    examples: { path: {}, query: {}, body: {}, ...example },
    rules: rules.map(({ holds: _, choice: __, ...rule }) => rule),
  });
}

function catalogView(entry: Values): View {
  const inBody = entry.httpMethod === 'POST';
  const input = entry.inputSchema as Schema;
  const example = (entry.inputExample ?? {}) as Values;
  return plain({
    access: String(entry.accessMode),
    description: String(entry.description),
    path: objectOf(entry.pathParamsSchema as Schema | undefined),
    query: objectOf(inBody ? undefined : input),
    body: inBody ? withOpenTuples(input) : null,
    examples: {
      path: (entry.pathParamsExample ?? {}) as Values,
      query: inBody ? {} : example,
      body: inBody ? example : {},
    },
    rules: (entry.rules ?? []) as object[],
  });
}

function openApiView(route: Route): View {
  const operation = operationOf(openApi, route);
  const media = operation.requestBody?.content['application/json'];
  const placed = (place: string) => operation.parameters.filter((parameter) => parameter.in === place);
  const schemaOf = (place: string) => ({
    properties: Object.fromEntries(
      placed(place).map(({ name, schema, description }) => [name, { ...(schema as object), description }]),
    ),
    required: placed(place).flatMap(({ name, required }) => (required ? [name] : [])),
  });
  const exampleOf = (place: string) =>
    Object.fromEntries(placed(place).flatMap(({ name, example }) => (example === undefined ? [] : [[name, example]])));
  const isFree = operation.security.length > 0;
  expect(operation['x-payment-info'] === undefined).toBe(isFree);
  for (const { description } of route.rules) expect(operation.description).toContain(description);
  return plain({
    access: isFree ? 'siwx' : 'exact',
    description: operation.summary,
    path: schemaOf('path'),
    query: schemaOf('query'),
    body: media ? withOpenTuples(media.schema) : null,
    examples: { path: exampleOf('path'), query: exampleOf('query'), body: (media?.example ?? {}) as Values },
    rules: operation['x-rules'] ?? [],
  });
}

it.each(served.map((route, index) => [route.id, route, index] as const))(
  '%s is the same in the table, in the catalog, in OpenAPI and in its challenge',
  async (_, route, index) => {
    const entry = catalog.routes[index] ?? {};
    expect(catalogView(entry)).toEqual(tableView(route));
    expect(openApiView(route)).toEqual(tableView(route));
    const { cluster, provider, surface, method } = route;
    const isPaid = route.access === 'exact';
    expect(entry).toMatchObject({ path: route.path, httpMethod: route.httpMethod, provider, surface, method });
    const { required } = challengeIn(await fetch(gateway.url + route.path, { method: route.httpMethod }));
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
    const part = await catalogOf(gateway, `?provider=${provider}`);
    const routes = catalog.routes.filter((entry) => entry.provider === provider);
    const counts = { totalRoutes: served.length, returnedRoutes: routes.length, filters: { provider } };
    expect(part).toEqual({ ...catalog, routes, catalog: counts });
  });

  it('of a gateway that sells nothing lists the free routes, and no payment network or asset', async () => {
    const { payment, routes, categories } = await catalogOf(free);
    expect(payment).toBeUndefined();
    expect(JSON.stringify(routes)).not.toMatch(/paymentNetwork|paymentAsset|USDC/);
    expect(categories.providers.map(({ id }) => id)).toEqual(['tokens']);
    expect(routes.map((entry) => `${entry.httpMethod} ${entry.path}`)).toEqual(
      served.filter(({ access }) => access === 'siwx').map(endpointOf),
    );
  });
});
