import { newSigner } from '@asset-gateway/client/node';
import { routes } from '@asset-gateway/protocol';
import { expect, it } from 'vitest';
import { startSolanaSandbox } from '../../packages/sandbox/src/solana-sandbox.ts';
import { stopAfterTests } from '../kit/stop-after-tests.ts';

const KEY = 'provider-key';
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const STRANGER = '2xNweLHLqrbx4zo1waDvgWJHgsUpPj8Y8icbAFeR4a8i';

const solana = await startSolanaSandbox({ key: KEY, blockMs: Number.POSITIVE_INFINITY });
await stopAfterTests(Promise.resolve({ stop: solana.close }));
const { provider, mainnet } = solana;

async function rpc(method: string, params: unknown, url = provider.rpcUrls.helius.mainnet) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method, params });
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  return { status: response.status, ...(await response.json()) };
}

const wallet = (path: string) => fetch(`${provider.url}/v1/wallet${path}`, { headers: { 'x-api-key': KEY } });
const exampleOf = (method: string): unknown => routes.find((row) => row.method === method)?.result.example;

it('requires the key at every endpoint', async () => {
  for (const path of ['/mainnet', '/devnet?api-key=wrong', '/mainnet/v2/wrong']) {
    const { status, error } = await rpc('getSlot', [], provider.url + path);
    expect([status, error.code], path).toEqual([401, expect.any(Number)]);
  }
  expect((await fetch(`${provider.url}/v1/wallet/${STRANGER}/balances`)).status).toBe(401);
});

it('answers from the chain about its addresses, and with the examples of the rows about others', async () => {
  const owner = newSigner().address;
  await mainnet.fundUsdc(owner, 1_230_000n);
  mainnet.airdrop(owner, 5_000_000_000n);
  expect((await rpc('getBalance', [owner])).result.value).toBe(5_000_000_000);
  const tokens = await rpc('getTokenAccountsByOwner', [owner, { mint: USDC }, { encoding: 'jsonParsed' }]);
  expect(tokens.result.value[0].account.data.parsed.info.tokenAmount.amount).toBe('1230000');
  const held = await (await wallet(`/${owner}/balances`)).json();
  expect(held.balances.map(({ symbol, balance }: Record<string, unknown>) => [symbol, balance])).toEqual([
    ['SOL', 5],
    ['USDC', 1.23],
  ]);
  expect((await wallet(`/${owner}/identity`)).status).toBe(404);
  for (const method of ['getBalance', 'getSignaturesForAddress', 'getProgramAccounts', 'getTransactionsForAddress'])
    expect((await rpc(method, [STRANGER])).result).toEqual(exampleOf(method));
  expect((await rpc('searchAssets', { ownerAddress: STRANGER })).result).toEqual(exampleOf('searchAssets'));
  for (const [path, method] of Object.entries({ balances: 'balances', 'funded-by': 'fundedBy' }))
    expect(await (await wallet(`/${STRANGER}/${path}`)).json()).toEqual(exampleOf(method));
});

it('answers errors with a status like Helius and with 200 like Alchemy', async () => {
  const { helius, alchemy } = provider.rpcUrls;
  for (const [url, status] of [
    [helius.mainnet, 400],
    [alchemy.mainnet, 200],
  ] as const)
    expect(await rpc('getBalance', ['no address'], url)).toMatchObject({ status, error: { code: -32602 } });
  expect((await rpc('sandbox_faucet', [STRANGER])).error.code).toBe(-32601);
  expect((await fetch(helius.mainnet)).status).toBe(405);
  expect((await fetch(`${provider.url}/nowhere`)).status).toBe(404);
});
