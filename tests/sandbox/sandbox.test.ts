import { newSigner } from '@asset-gateway/client/node';
import { routes, USDC } from '@asset-gateway/protocol';
import { expect, it } from 'vitest';
import { ASSETS } from '../../packages/sandbox/src/tokens/catalogue.ts';
import { everyThird } from '../kit/rounds.ts';
import { CANARY_KEY, CANARY_PROVIDER_KEY, startChains, startUpstream } from '../kit/test-gateway.ts';

const api = await startUpstream({ now: () => Date.parse('2025-12-29T09:23:45Z') });
const { provider, mainnet, devnet } = await startChains({ blockMs: Number.POSITIVE_INFINITY });

const STRANGER = '2xNweLHLqrbx4zo1waDvgWJHgsUpPj8Y8icbAFeR4a8i';

const withKey = (url: string, key = CANARY_PROVIDER_KEY) => fetch(url, { headers: { 'x-api-key': key } });

// tests/describe shows that each answer fits its row, and tests/upstream each fault by what the gateway makes of it.
it('names the same asset for each of its names', async () => {
  for (const { id, name, symbol, aliases, coingeckoId, variants } of everyThird([...ASSETS], 0)) {
    const own = variants.flatMap((each) => [each.symbol, each.mint, each.name]);
    for (const text of [id, name, symbol, ...aliases, coingeckoId, ...own]) {
      if (text === undefined) continue;
      const found = await withKey(`${api.url}/v1/assets/resolve?ref=${encodeURIComponent(text)}`, CANARY_KEY);
      expect([text, (await found.json()).assetId]).toEqual([text, id]);
    }
  }
});

it.each<[string, string, number]>([
  [`${api.url}/v1/assets/solana`, '', 401],
  [`${api.url}/v1/assets/solana`, 'wrong', 401],
  [`${api.url}/v1/health`, '', 200],
  [`${provider.url}/mainnet`, '', 401],
  [`${provider.url}/devnet?api-key=wrong`, '', 401],
  [`${provider.url}/mainnet/v2/wrong`, '', 401],
  [`${provider.url}/v1/wallet/${STRANGER}/balances`, '', 401],
  [`${provider.url}/nowhere`, '', 404],
  [provider.rpcUrls.helius.mainnet, '', 405],
])('%s with the key "%s" answers %i', async (url, key, status) => {
  expect((await withKey(url, key)).status).toBe(status);
});

async function post(url: string, body: string) {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  return { status: response.status, ...(await response.json()) };
}

const rpc = (method: string, params: unknown, url = provider.rpcUrls.helius.mainnet) =>
  post(url, JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }));
const wallet = (path: string) => withKey(`${provider.url}/v1/wallet${path}`);
const exampleOf = (method: string): unknown => routes.find((row) => row.method === method)?.result.example;

it('the provider answers from the chain about its addresses, and with the examples of the rows about others', async () => {
  const owner = newSigner().address;
  await mainnet.fundUsdc(owner, 1_230_000n);
  mainnet.airdrop(owner, 5_000_000_000n);
  expect((await rpc('getBalance', [owner])).result.value).toBe(5_000_000_000);
  const tokens = await rpc('getTokenAccountsByOwner', [owner, { mint: USDC.mainnet }, { encoding: 'jsonParsed' }]);
  expect(tokens.result.value[0].account.data.parsed.info.tokenAmount.amount).toBe('1230000');
  const held = await (await wallet(`/${owner}/balances`)).json();
  expect(held.balances).toMatchObject([
    { symbol: 'SOL', balance: 5 },
    { symbol: 'USDC', balance: 1.23 },
  ]);
  expect((await wallet(`/${owner}/identity`)).status).toBe(404);
  for (const method of ['getBalance', 'getSignaturesForAddress', 'getProgramAccounts', 'getTransactionsForAddress'])
    expect((await rpc(method, [STRANGER])).result).toEqual(exampleOf(method));
  expect((await rpc('searchAssets', { ownerAddress: STRANGER })).result).toEqual(exampleOf('searchAssets'));
  for (const [path, method] of Object.entries({ balances: 'balances', 'funded-by': 'fundedBy' }))
    expect(await (await wallet(`/${STRANGER}/${path}`)).json()).toEqual(exampleOf(method));
});

it('the provider answers errors with a status like Helius and with 200 like Alchemy', async () => {
  const { helius, alchemy } = provider.rpcUrls;
  for (const [url, status] of [
    [helius.mainnet, 400],
    [alchemy.mainnet, 200],
  ] as const)
    expect(await rpc('getBalance', ['no address'], url)).toMatchObject({ status, error: { code: -32602 } });
  expect((await rpc('sandbox_faucet', [STRANGER])).error.code).toBe(-32601);
});

it.each([
  ['{', -32700],
  ['{"id":1}', -32600],
  ['{"jsonrpc":"2.0","id":1,"method":"constructor"}', -32601],
  ['{"jsonrpc":"2.0","id":1,"method":"getBalance","params":{}}', -32602],
  ['{"jsonrpc":"2.0","id":1,"method":"getBalance","params":["x"]}', -32602],
  ['{"jsonrpc":"2.0","id":1,"method":"getBalance"}', -32602],
])('a chain refuses the call %s', async (body, code) => {
  expect(await post(devnet.url, body)).toMatchObject({ status: 200, error: { code } });
});
