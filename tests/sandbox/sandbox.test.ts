import { newSigner } from '@asset-gateway/client/node';
import { routes } from '@asset-gateway/protocol';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startChain } from '../../packages/sandbox/src/chain/chain.ts';
import { ASSETS } from '../../packages/sandbox/src/tokens/catalogue.ts';
import { endsAfterTests } from '../kit/ends.ts';
import { everyThird } from '../kit/rounds.ts';
import { startChains, startUpstream } from '../kit/test-gateway.ts';

const KEY = 'upstream-key';
const NOW = Date.parse('2025-12-29T09:23:45Z');

const api = await startUpstream({ key: KEY, now: () => NOW });

const ask = (target: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${api.url}/v1${target}`, { ...init, headers: { 'x-api-key': KEY, ...init.headers } });
const answerOf = async (target: string) => (await ask(`/assets/${target}`)).json();

// tests/describe shows that each answer fits its row, and tests/upstream each fault by what the gateway makes of it.
it('names the same asset for each of its names', async () => {
  for (const { id, name, symbol, aliases, coingeckoId, variants } of everyThird([...ASSETS], 0)) {
    const own = variants.flatMap((each) => [each.symbol, each.mint, each.name]);
    for (const text of [id, name, symbol, ...aliases, coingeckoId, ...own]) {
      if (text === undefined) continue;
      expect([text, (await answerOf(`resolve?ref=${encodeURIComponent(text)}`)).assetId]).toEqual([text, id]);
    }
  }
});

it('requires the key everywhere except at /v1/health', async () => {
  for (const [key, message] of [
    ['', 'Missing API key'],
    ['wrong', 'Invalid API key'],
  ] as const) {
    const refused = await fetch(`${api.url}/v1/assets/solana`, key === '' ? {} : { headers: { 'x-api-key': key } });
    expect([refused.status, (await refused.json()).error]).toEqual([401, { _tag: 'UnauthorizedError', message }]);
  }
  expect((await fetch(`${api.url}/v1/health`)).status).toBe(200);
});

it('has faults for some requests, for some of their number, and until the reset', async () => {
  onTestFinished(() => api.faults.reset());
  Object.assign(api.faults, {
    status: 429,
    times: 1,
    only: ({ target }: { target: string }) => target.includes('sol'),
  });
  const statuses = [];
  for (const target of ['/health', '/assets/solana', '/assets/solana']) statuses.push((await ask(target)).status);
  expect(statuses).toEqual([200, 429, 200]);
  api.faults.status = 503;
  api.faults.reset();
  expect([Object.keys(api.faults), (await ask('/health')).status]).toEqual([['reset'], 200]);
});

const PROVIDER_KEY = 'provider-key';
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const STRANGER = '2xNweLHLqrbx4zo1waDvgWJHgsUpPj8Y8icbAFeR4a8i';

const solana = await startChains({ key: PROVIDER_KEY, blockMs: Number.POSITIVE_INFINITY });
const { provider, mainnet } = solana;

async function rpc(method: string, params: unknown, url = provider.rpcUrls.helius.mainnet) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method, params });
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  return { status: response.status, ...(await response.json()) };
}

const wallet = (path: string) => fetch(`${provider.url}/v1/wallet${path}`, { headers: { 'x-api-key': PROVIDER_KEY } });
const exampleOf = (method: string): unknown => routes.find((row) => row.method === method)?.result.example;

it('the provider requires the key at every endpoint', async () => {
  for (const path of ['/mainnet', '/devnet?api-key=wrong', '/mainnet/v2/wrong']) {
    const { status, error } = await rpc('getSlot', [], provider.url + path);
    expect([status, error.code], path).toEqual([401, expect.any(Number)]);
  }
  expect((await fetch(`${provider.url}/v1/wallet/${STRANGER}/balances`)).status).toBe(401);
});

it('the provider answers from the chain about its addresses, and with the examples of the rows about others', async () => {
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

it('the provider answers errors with a status like Helius and with 200 like Alchemy', async () => {
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

const chain = await startChain({ cluster: 'devnet' });
endsAfterTests(chain.close);

async function post(body: string) {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(chain.url, { method: 'POST', headers, body });
  return { status: response.status, text: await response.text() };
}

describe('a call', () => {
  it.each([
    ['{', -32700],
    ['{"id":1}', -32600],
    ['{"jsonrpc":"2.0","id":1,"method":"constructor"}', -32601],
    ['{"jsonrpc":"2.0","id":1,"method":"getBalance","params":{}}', -32602],
    ['{"jsonrpc":"2.0","id":1,"method":"getBalance","params":["x"]}', -32602],
    ['{"jsonrpc":"2.0","id":1,"method":"getBalance"}', -32602],
  ])('refuses %s', async (body, code) => {
    const { status, text } = await post(body);
    expect([status, JSON.parse(text).error.code]).toEqual([200, code]);
  });
});

// tests/payments shows each fault by what the gateway makes of it.
it('faults can be limited to some methods, and end with the reset', async () => {
  const before = chain.calls.length;
  Object.assign(chain.faults, { status: 503, only: new Set(['getSlot']) });
  const call = (method: string) => post(JSON.stringify({ jsonrpc: '2.0', id: 1, method }));
  expect([(await call('getSlot')).status, (await call('getBlockHeight')).status]).toEqual([503, 200]);
  chain.faults.reset();
  expect([(await call('getSlot')).status, Object.keys(chain.faults)]).toEqual([200, ['expireBlockhashes', 'reset']]);
  expect(chain.calls.slice(before).map(({ method }) => method)).toEqual(['getSlot', 'getBlockHeight', 'getSlot']);
});
