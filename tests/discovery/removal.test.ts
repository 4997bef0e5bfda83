import type { Environment } from '@asset-gateway/gateway';
import { type Route, routes } from '@asset-gateway/protocol';
import { describe, expect, it } from 'vitest';
import { writeDocument } from '../apis/document-files.ts';
import { pathOf } from '../http/targets.ts';
import { inSuite } from '../kit/in-suite.ts';
import { startChains, startTestGateway, type TestGateway } from '../kit/test-gateway.ts';
import { endpointOf, served } from './everything.ts';

const ONLY_BALANCES = {
  '*': { enabled: false },
  getBalance: { enabled: true },
  'devnet.alchemy.getBalance': { enabled: false },
  'devnet.helius.getBalance': { enabled: false },
};

/** A setting that is left out, and whether a row goes with it. */
type LeftOut = readonly [name: string, variables: Environment, isRemoved: (route: Route) => boolean];

const without = (name: string, isRemoved: LeftOut[2]): LeftOut => [`no ${name}`, { [name]: '' }, isRemoved];
const isOnly = (one: string) => (route: Route) => route.surface === one;
const limitedTo0 = (name: string, one: string): LeftOut => [`${name}=0`, { [name]: '0' }, isOnly(one)];
const inFile = (title: string, file: object, isRemoved: LeftOut[2]): LeftOut => {
  return [title, { APIS_FILE: writeDocument(file) }, isRemoved];
};
/** The RPC URL of a provider and a cluster. Wallet data have a URL of their own. */
const withoutUrl = (name: string, provider: string, cluster: string): LeftOut =>
  without(name, (route) => route.provider === provider && route.cluster === cluster && route.surface !== 'wallet');

/** What gateways leave out: no row goes with two settings of one gateway, so that each setting shows. */
const LEFT_OUT: readonly (readonly LeftOut[])[] = [
  [['nothing left out', {}, () => false]],
  [
    without('TOKENS_API_KEY', isOnly('tokens')),
    without('HELIUS_API_KEY', isOnly('wallet')),
    withoutUrl('ALCHEMY_DEVNET_RPC_URL', 'alchemy', 'devnet'),
    withoutUrl('HELIUS_MAINNET_RPC_URL', 'helius', 'mainnet'),
  ],
  [
    limitedTo0('TOKENS_RATE_LIMIT_PER_MINUTE', 'tokens'),
    limitedTo0('RPC_RATE_LIMIT_PER_SECOND', 'rpc'),
    limitedTo0('WALLET_RATE_LIMIT_PER_SECOND', 'wallet'),
  ],
  [
    limitedTo0('DAS_RATE_LIMIT_PER_SECOND', 'das'),
    inFile(
      'all of rpc but one method on one cluster disabled in APIS_FILE',
      { rpc: { operations: ONLY_BALANCES } },
      ({ id, surface }) => surface === 'rpc' && !/^rpc\.mainnet\.\w+\.getBalance$/.test(id),
    ),
  ],
  [
    withoutUrl('ALCHEMY_MAINNET_RPC_URL', 'alchemy', 'mainnet'),
    withoutUrl('ALCHEMY_DEVNET_RPC_URL', 'alchemy', 'devnet'),
    withoutUrl('HELIUS_DEVNET_RPC_URL', 'helius', 'devnet'),
    inFile(
      'wallet and a free operation disabled in APIS_FILE',
      { wallet: { enabled: false }, tokens: { operations: { search: { enabled: false } } } },
      ({ id, surface }) => surface === 'wallet' || id === 'tokens.search',
    ),
  ],
  [
    without('SOLANA_DEVNET_RPC_URL', ({ cluster }) => cluster === 'devnet'),
    inFile('tokens disabled in APIS_FILE', { tokens: { enabled: false } }, isOnly('tokens')),
  ],
  [without('SOLANA_MAINNET_RPC_URL', ({ cluster }) => cluster === 'mainnet')],
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

/** The rows of URLs, with those that are of no row as they are. */
function rowsAt(urls: readonly string[]): string[] {
  const endpoints = new Map(served.map((route) => [pathOf(route), endpointOf(route)]));
  return sorted(urls.map((url) => endpoints.get(new URL(url).pathname) ?? url));
}

async function inLlms({ url }: TestGateway): Promise<string[]> {
  const links = [...(await textOf(`${url}/llms.txt`)).matchAll(/^- \[((?:GET|POST) [^\]]+)\]\((\S+)\)/gm)];
  const endpoints = sorted(links.map(([, endpoint = '']) => endpoint));
  expect(rowsAt(links.map(([, , link = '']) => link))).toEqual(endpoints);
  return endpoints;
}

async function inWellKnown({ url }: TestGateway): Promise<string[]> {
  const { resources } = JSON.parse(await textOf(`${url}/.well-known/x402`)) as { resources: readonly string[] };
  return rowsAt(resources);
}

const solana = await startChains();

describe.each(LEFT_OUT.map((settings) => [settings.map(([name]) => name).join(', '), settings] as const))(
  'with %s',
  (_, settings) => {
    const isRemoved = (route: Route) => settings.some(([, , isRemovedBy]) => isRemovedBy(route));
    const left = sorted(served.filter((route) => !isRemoved(route)).map(endpointOf));
    const own = routes.filter(({ surface }) => surface === 'system').map(endpointOf);

    const variables = Object.assign({}, ...settings.map(([, changes]) => changes));
    const gateway = inSuite(() => startTestGateway(variables, { solana }));

    it('the router, the catalog, OpenAPI, llms.txt and well-known have the same routes', async () => {
      expect(await routed(gateway)).toEqual(sorted([...left, ...own]));
      expect(await catalogued(gateway)).toEqual(left);
      expect(await inOpenApi(gateway)).toEqual(sorted([...left, ...own]));
      expect(await inLlms(gateway)).toEqual(left);
      expect(await inWellKnown(gateway)).toEqual(left);
    });

    it('the summaries and the set-up mention a signature or a payment only if a route takes one', async () => {
      const { info } = JSON.parse(await textOf(`${gateway.url}/openapi.json`)) as { info: { summary: string } };
      const llms = await textOf(`${gateway.url}/llms.txt`);
      const [, , quoted = ''] = llms.split('\n');
      const isOpened = (by: Route['access']) => served.some((route) => !isRemoved(route) && route.access === by);
      for (const summary of [info.summary, quoted]) {
        expect(summary.includes('a signature')).toBe(isOpened('siwx'));
        expect(summary.includes('a micropayment')).toBe(isOpened('exact'));
      }
      expect(/createSIWx|wants you to sign in/.test(llms)).toBe(isOpened('siwx'));
      expect(/ExactSvmScheme/.test(llms)).toBe(isOpened('exact'));
    });
  },
);
