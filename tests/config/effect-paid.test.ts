import type { Environment } from '@asset-gateway/gateway';
import { afterAll, expect, it } from 'vitest';
import { startSolanaSandbox } from '../../packages/sandbox/src/solana-sandbox.ts';
import { CANARY_PROVIDER_KEY, type SellingGateway, startSellingGateway } from '../kit/selling-gateway.ts';
import { ask, newBuyer, newPath } from '../payments/fault-buyer.ts';

const solana = await startSolanaSandbox({ key: CANARY_PROVIDER_KEY });
afterAll(() => solana.close());

/** Runs a task with a gateway that has these variables beside those of the sandbox. */
async function withSeller<T>(variables: Environment, task: (gateway: SellingGateway) => Promise<T>): Promise<T> {
  const gateway = await startSellingGateway(variables, { solana });
  return task(gateway).finally(() => gateway.stop());
}

const pathsOf = (variables: Environment): Promise<string[]> =>
  withSeller(variables, async ({ url }) => {
    const { routes } = (await (await fetch(`${url}/v1/catalog`)).json()) as { routes: { path: string }[] };
    return routes.map(({ path }) => path);
  });

const all = await pathsOf({});

it.each([
  ['RPC_RATE_LIMIT_PER_SECOND', '0', '/rpc/'],
  ['DAS_RATE_LIMIT_PER_SECOND', '0', '/das/'],
  ['WALLET_RATE_LIMIT_PER_SECOND', '0', '/wallet/'],
  ['ALCHEMY_MAINNET_RPC_URL', '', '/mainnet/alchemy/'],
  ['ALCHEMY_DEVNET_RPC_URL', '', '/devnet/alchemy/'],
  ['HELIUS_MAINNET_RPC_URL', '', '/mainnet/helius/'],
  ['HELIUS_DEVNET_RPC_URL', '', '/devnet/helius/'],
  ['HELIUS_API_KEY', '', '/helius/wallet/'],
  ['SOLANA_MAINNET_RPC_URL', '', '/mainnet/'],
  ['SOLANA_DEVNET_RPC_URL', '', '/devnet/'],
])('%s=%j removes routes from the catalog', async (name, value, part) => {
  const left = await pathsOf({ [name]: value });
  expect(all.some((path) => path.includes(part))).toBe(true);
  expect(left.some((path) => path.includes(part))).toBe(false);
  expect(left.length).toBeGreaterThan(0);
});

it('HELIUS_WALLET_API_BASE_URL: the upstream that is called', async () => {
  const reply = await withSeller({ HELIUS_WALLET_API_BASE_URL: 'http://127.0.0.1:9' }, async ({ url }) => {
    const target = url + newPath();
    return ask(target, await (await newBuyer(solana.mainnet)).pay(target));
  });
  expect([reply.status, reply.code]).toEqual([502, 'upstream_unreachable']);
  expect(reply.text).toContain('"state":"unused"');
  expect(solana.provider.arrivals).toEqual([]);
});
