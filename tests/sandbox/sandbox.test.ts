import { newSigner } from '@asset-gateway/client/node';
import { routes, USDC } from '@asset-gateway/protocol';
import { expect, it } from 'vitest';
import { TOKEN_PROGRAM, WRAPPED_SOL } from '../../packages/sandbox/src/chain/addresses.ts';
import { ASSETS } from '../../packages/sandbox/src/tokens/catalogue.ts';
import { jsonInit } from '../http/targets.ts';
import { everyThird } from '../kit/rounds.ts';
import { CANARY_KEY, CANARY_PROVIDER_KEY, startChains, startUpstream } from '../kit/test-gateway.ts';

const now = () => Date.parse('2025-12-29T09:23:45Z');
const api = await startUpstream({ now });
const { provider, mainnet, devnet } = await startChains({ blockMs: Number.POSITIVE_INFINITY, marketNow: now });

/** The wallet of the routes' examples. */
const SPECIFIED = '86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY';
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
  const response = await fetch(url, jsonInit(body));
  return { status: response.status, ...(await response.json()) };
}

const rpc = (method: string, params: unknown, url = provider.rpcUrls.helius.mainnet) =>
  post(url, JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }));
const wallet = (path: string) => withKey(`${provider.url}/v1/wallet${path}`);
const exampleOf = (method: string): unknown => routes.find((row) => row.method === method)?.result.example;

it('the provider answers from the chain, and about the history of a stranger with the examples of the rows', async () => {
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
  for (const method of ['getSignaturesForAddress', 'getProgramAccounts', 'getTransactionsForAddress'])
    expect((await rpc(method, [STRANGER])).result).toEqual(exampleOf(method));
  expect((await rpc('searchAssets', { ownerAddress: STRANGER })).result).toEqual(exampleOf('searchAssets'));
  expect(await (await wallet(`/${STRANGER}/funded-by`)).json()).toEqual(exampleOf('fundedBy'));
});

it('the state of an account depends on its address, on every route of the provider', async () => {
  const rich = newSigner().address;
  mainnet.airdrop(rich, 5_000_000_000n);
  for (const [address, lamports] of [
    [rich, 5_000_000_000],
    [SPECIFIED, 12_500_000_000],
    [STRANGER, 0],
  ] as const) {
    expect((await rpc('getBalance', [address])).result.value).toBe(lamports);
    const { value } = (await rpc('getAccountInfo', [address], provider.rpcUrls.alchemy.mainnet)).result;
    expect(value?.lamports ?? 0).toBe(lamports);
    const { balances } = await (await wallet(`/${address}/balances`)).json();
    expect(balances.map(({ balance }: { balance: number }) => balance * 1e9)).toEqual(lamports === 0 ? [] : [lamports]);
  }
  const mint = (await rpc('getAccountInfo', [WRAPPED_SOL])).result.value;
  expect([mint.owner, mint.space]).toEqual([TOKEN_PROGRAM, 82]);
});

it('every answer names one price of SOL', async () => {
  const ask = async (path: string) => (await withKey(`${api.url}/v1/assets/${path}`, CANARY_KEY)).json();
  const { asset } = await ask('solana');
  const [found] = (await ask('search?q=solana')).results;
  const { balances } = await (await wallet(`/${SPECIFIED}/balances`)).json();
  const prices = [asset.stats, asset.canonicalMarket, asset.variantGroups.spot[0].market, found.stats];
  const [{ price }] = prices;
  expect(prices.map((each) => each.price)).toEqual([price, price, price, price]);
  expect(balances[0]).toMatchObject({ pricePerToken: price, usdValue: Math.round(price * 1250) / 100 });
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
