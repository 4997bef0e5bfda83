import { type Route, routes } from '@asset-gateway/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSolanaSandbox } from '../../packages/sandbox/src/solana-sandbox.ts';
import { writeDocument } from '../apis/apis.ts';
import { CANARY_PROVIDER_KEY } from '../kit/selling-gateway.ts';
import { startTestGateway, type TestGateway } from '../kit/test-gateway.ts';
import { endpointOf, served } from './everything.ts';

const ONLY_BALANCES = {
  '*': { enabled: false },
  getBalance: { enabled: true },
  'devnet.alchemy.getBalance': { enabled: false },
  'devnet.helius.getBalance': { enabled: false },
};

/** A variable that is left out, and the rows that go with it. */
const LEFT_OUT: readonly [string, Readonly<Record<string, string>>, (route: Route) => boolean][] = [
  ['nothing left out', {}, () => false],
  ['no TOKENS_API_KEY', { TOKENS_API_KEY: '' }, ({ surface }) => surface === 'tokens'],
  ['TOKENS_RATE_LIMIT_PER_MINUTE=0', { TOKENS_RATE_LIMIT_PER_MINUTE: '0' }, ({ surface }) => surface === 'tokens'],
  ['no HELIUS_API_KEY', { HELIUS_API_KEY: '' }, ({ surface }) => surface === 'wallet'],
  ['DAS_RATE_LIMIT_PER_SECOND=0', { DAS_RATE_LIMIT_PER_SECOND: '0' }, ({ surface }) => surface === 'das'],
  [
    'no ALCHEMY_DEVNET_RPC_URL',
    { ALCHEMY_DEVNET_RPC_URL: '' },
    ({ provider, cluster }) => provider === 'alchemy' && cluster === 'devnet',
  ],
  [
    'neither URL of Alchemy',
    { ALCHEMY_MAINNET_RPC_URL: '', ALCHEMY_DEVNET_RPC_URL: '' },
    ({ provider }) => provider === 'alchemy',
  ],
  [
    'no HELIUS_MAINNET_RPC_URL',
    { HELIUS_MAINNET_RPC_URL: '' },
    ({ provider, cluster, surface }) => provider === 'helius' && cluster === 'mainnet' && surface !== 'wallet',
  ],
  [
    'wallet disabled in APIS_FILE',
    { APIS_FILE: writeDocument({ wallet: { enabled: false } }) },
    ({ surface }) => surface === 'wallet',
  ],
  [
    'tokens disabled in APIS_FILE',
    { APIS_FILE: writeDocument({ tokens: { enabled: false } }) },
    ({ surface }) => surface === 'tokens',
  ],
  [
    'all of rpc but one method on one cluster disabled in APIS_FILE',
    { APIS_FILE: writeDocument({ rpc: { operations: ONLY_BALANCES } }) },
    ({ id, surface }) => surface === 'rpc' && !/^rpc\.mainnet\.\w+\.getBalance$/.test(id),
  ],
  [
    'a free operation disabled in APIS_FILE',
    { APIS_FILE: writeDocument({ tokens: { operations: { search: { enabled: false } } } }) },
    ({ id }) => id === 'tokens.search',
  ],
  ['no SOLANA_DEVNET_RPC_URL', { SOLANA_DEVNET_RPC_URL: '' }, ({ cluster }) => cluster === 'devnet'],
];

const textOf = async (url: string): Promise<string> => (await fetch(url)).text();
const sorted = (endpoints: Iterable<string>): string[] => [...endpoints].sort();

/** Rows whose plain path is no 404. */
async function routed({ url }: TestGateway): Promise<string[]> {
  const found = await Promise.all(
    routes.map(async (route) => {
      const response = await fetch(url + route.path, { method: route.httpMethod });
      await response.arrayBuffer();
      return response.status === 404 ? [] : [endpointOf(route)];
    }),
  );
  return sorted(found.flat());
}

async function catalogued({ url }: TestGateway): Promise<string[]> {
  const { routes: entries } = JSON.parse(await textOf(`${url}/v1/catalog`)) as { routes: readonly Route[] };
  return sorted(entries.map(endpointOf));
}

async function inOpenApi({ url }: TestGateway): Promise<string[]> {
  const { paths } = JSON.parse(await textOf(`${url}/openapi.json`)) as { paths: Record<string, object> };
  const endpoints = Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((verb) => `${verb.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
  );
  return sorted(endpoints);
}

async function inLlms({ url }: TestGateway): Promise<string[]> {
  const lines = (await textOf(`${url}/llms.txt`)).matchAll(/^- \[((?:GET|POST) [^\]]+)\]/gm);
  return sorted([...lines].map(([, endpoint = '']) => endpoint));
}

/** URLs of the well-known document as rows. */
async function inWellKnown({ url }: TestGateway): Promise<string[]> {
  const { resources } = JSON.parse(await textOf(`${url}/.well-known/x402`)) as { resources: readonly string[] };
  const paths = new Map(
    served.map((route) => [
      route.path.replace(/:(\w+)/g, (_, name: string) => String(route.example.path?.[name])),
      endpointOf(route),
    ]),
  );
  return sorted(resources.map((resource) => paths.get(new URL(resource).pathname) ?? resource));
}

const solana = await startSolanaSandbox({ key: CANARY_PROVIDER_KEY });
afterAll(() => solana.close());

describe.each(LEFT_OUT)('with %s', (_, variables, isRemoved) => {
  const left = sorted(served.filter((route) => !isRemoved(route)).map(endpointOf));
  const own = routes.filter(({ surface }) => surface === 'system').map(endpointOf);

  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway(variables, { solana: solana });
  });
  afterAll(() => gateway.stop());

  it('the router, the catalog, OpenAPI, llms.txt and well-known have the same routes', async () => {
    expect(await routed(gateway)).toEqual(sorted([...left, ...own]));
    expect(await catalogued(gateway)).toEqual(left);
    expect(await inOpenApi(gateway)).toEqual(sorted([...left, ...own]));
    expect(await inLlms(gateway)).toEqual(left);
    expect(await inWellKnown(gateway)).toEqual(left);
  });

  it('the summaries mention a signature or a micropayment only if a route takes one', async () => {
    const { info } = JSON.parse(await textOf(`${gateway.url}/openapi.json`)) as { info: { summary: string } };
    const [, , quoted = ''] = (await textOf(`${gateway.url}/llms.txt`)).split('\n');
    const isOpened = (by: Route['access']) => served.some((route) => !isRemoved(route) && route.access === by);
    for (const summary of [info.summary, quoted]) {
      expect(summary.includes('a signature')).toBe(isOpened('siwx'));
      expect(summary.includes('a micropayment')).toBe(isOpened('exact'));
    }
  });
});
