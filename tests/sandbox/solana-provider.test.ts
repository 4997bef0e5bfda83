import { createHash } from 'node:crypto';
import { generateKeyPairSigner } from '@solana/kit';
import bs58 from 'bs58';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Chain, startChain } from '../../packages/sandbox/src/chain/chain.ts';
import { EXAMPLES, type SolanaProvider, startSolanaProvider } from '../../packages/sandbox/src/solana/provider.ts';

const KEY = 'provider-key';
const NOW = Date.parse('2026-11-20T00:00:00Z');
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const WALLET = '2xNweLHLqrbx4zo1waDvgWJHgsUpPj8Y8icbAFeR4a8i';
const BINANCE = '5tzFkiKscXHK5ZXCGbXZxdw7gTjjD1mBwuoFbhUvuAi9';

let mainnet: Chain;
let devnet: Chain;
let provider: SolanaProvider;
beforeAll(async () => {
  [mainnet, devnet] = await Promise.all([
    startChain({ cluster: 'mainnet', blockMs: Number.POSITIVE_INFINITY }),
    startChain({ cluster: 'devnet', blockMs: Number.POSITIVE_INFINITY }),
  ]);
  provider = await startSolanaProvider({ chains: { mainnet, devnet }, key: KEY, now: () => NOW });
});
afterEach(() => provider.faults.reset());
afterAll(async () => {
  await provider.close();
  await Promise.all([mainnet.close(), devnet.close()]);
});

async function post(url: string, body: string) {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

async function rpc(method: string, params: unknown, url = provider.rpcUrls.helius.mainnet) {
  const answer = await post(url, JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }));
  return { ...answer, json: JSON.parse(answer.text) };
}

async function result(method: string, params: unknown, url?: string) {
  const { status, json, text } = await rpc(method, params, url);
  expect(status, text.slice(0, 300)).toBe(200);
  expect(json).toMatchObject({ jsonrpc: '2.0', id: 7 });
  expect(json.error).toBeUndefined();
  return json.result;
}

async function wallet(path: string, init: RequestInit = {}) {
  const response = await fetch(`${provider.walletUrl}${path}`, {
    ...init,
    headers: { 'x-api-key': KEY, ...init.headers },
  });
  return { status: response.status, json: await response.json() };
}

describe('the key', () => {
  it('is required at every endpoint', async () => {
    const call = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'getSlot', params: [] });
    for (const path of ['/mainnet', '/devnet?api-key=wrong', '/v2/wrong', '/mainnet/v2/wrong']) {
      const { status, text } = await post(`${provider.url}${path}`, call);
      expect(status, path).toBe(401);
      expect(JSON.parse(text)).toMatchObject({ jsonrpc: '2.0', id: 7, error: { code: expect.any(Number) } });
    }
    expect((await fetch(`${provider.walletUrl}/${WALLET}/balances`)).status).toBe(401);
    expect((await fetch(`${provider.walletUrl}/${WALLET}/balances?api-key=${KEY}`)).status).toBe(200);
    expect((await post(`${provider.url}/nowhere?api-key=${KEY}`, call)).status).toBe(404);
  });

  it.each(['helius', 'alchemy'] as const)('opens both clusters of %s', async (name) => {
    const genesis = await result('getGenesisHash', [], provider.rpcUrls[name].mainnet);
    expect(await result('getGenesisHash', [], provider.rpcUrls[name].devnet)).not.toBe(genesis);
    expect(await result('getGenesisHash', [], `${provider.url}/v2/${KEY}`)).toBe(genesis);
  });
});

describe('u64 values', () => {
  it('are written as exact integers', async () => {
    const { text } = await rpc('getAccountInfo', [EXAMPLES.whale, { encoding: 'base64' }]);
    expect(text).toContain('"lamports":9223372036854775808,');
    expect(text).toContain('"rentEpoch":18446744073709551615,');
    expect((await rpc('getBalance', [EXAMPLES.whale])).text).toContain('"value":9223372036854775808}');
    const das = await rpc('getAsset', { id: 'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263' });
    expect(das.text).toContain('"supply":8799520284263112307,');
  });
});

describe('RPC', () => {
  it('answers from the chain about known addresses', async () => {
    const owner = (await generateKeyPairSigner()).address;
    await mainnet.fundUsdc(owner, 123n);
    mainnet.airdrop(owner, 5n);
    expect((await result('getBalance', [owner])).value).toBe(5);
    const { value } = await result('getTokenAccountsByOwner', [owner, { mint: USDC }, { encoding: 'jsonParsed' }]);
    expect(value).toHaveLength(1);
    expect(value[0].account.data.parsed.info).toMatchObject({ mint: USDC, owner, tokenAmount: { amount: '123' } });
    expect(await result('getSignaturesForAddress', [owner])).toEqual([]);
  });

  it('simulates the same account and tokens for any other wallet each time', async () => {
    const once = await result('getAccountInfo', [WALLET]);
    expect(await result('getAccountInfo', [WALLET])).toEqual(once);
    expect(once.value).toMatchObject({ executable: false, owner: '1'.repeat(32), space: 0 });
    expect((await result('getBalance', [WALLET])).value).toBe(once.value.lamports);
    const tokens = await result('getTokenAccountsByOwner', [WALLET, { programId: TOKEN }, { encoding: 'base64' }]);
    expect(tokens.value.length).toBeGreaterThan(1);
    for (const { account } of tokens.value) {
      expect(bs58.encode(Buffer.from(account.data[0], 'base64').subarray(32, 64))).toBe(WALLET);
    }
    const usdc = await result('getTokenAccountsByOwner', [WALLET, { mint: USDC }, { encoding: 'jsonParsed' }]);
    expect(usdc.value).toHaveLength(1);
    expect((await result('getAccountInfo', [EXAMPLES.absent])).value).toBeNull();
  });

  it('pages signatures, and finds each of their transactions', async () => {
    const all = await result('getSignaturesForAddress', [WALLET]);
    const pages = [];
    for (let before: string | undefined; ; before = pages.at(-1).signature) {
      const page = await result('getSignaturesForAddress', [WALLET, { limit: 17, before }]);
      pages.push(...page);
      if (page.length < 17) break;
    }
    expect(pages).toEqual(all);
    const until = await result('getSignaturesForAddress', [WALLET, { until: all[5].signature }]);
    expect(until).toEqual(all.slice(0, 5));
    for (const encoding of ['json', 'jsonParsed', 'base64', 'base58']) {
      const { signature, slot, blockTime, err } = all[1];
      const found = await result('getTransaction', [signature, { encoding, maxSupportedTransactionVersion: 0 }]);
      expect(found).toMatchObject({ slot, blockTime, meta: { err, fee: 5000 } });
      if (encoding === 'json') {
        expect(found.transaction.message.accountKeys).toContain(WALLET);
        expect(found.transaction.signatures[0]).toBe(signature);
      }
    }
    const random = bs58.encode(createHash('sha512').update('nothing').digest());
    expect(await result('getTransaction', [random])).toBeNull();
    expect((await rpc('getTransaction', [all[2].signature])).json.error.code).toBe(-32015);
  });

  it('honours filters and the slice of getProgramAccounts', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ minLength: 1, maxLength: 32 }),
        fc.nat(120),
        fc.nat(64),
        async (bytes, offset, length) => {
          const filters = [{ dataSize: 165 }, { memcmp: { offset, bytes: bs58.encode(bytes) } }];
          const slice = { offset, length };
          const config = { encoding: 'base64', filters, dataSlice: slice };
          const rows = await result('getProgramAccounts', ['Stake11111111111111111111111111111111111111', config]);
          expect(rows.length).toBeGreaterThan(0);
          for (const { account } of rows) {
            const data = Buffer.from(account.data[0], 'base64');
            expect(account.space).toBe(165);
            expect(data).toHaveLength(Math.min(length, 165 - offset));
            const shown = Math.min(length, bytes.length);
            expect(data.subarray(0, shown)).toEqual(Buffer.from(bytes.subarray(0, shown)));
          }
        },
      ),
      { numRuns: 25 },
    );
    const clash = [{ memcmp: { offset: 0, bytes: '2' } }, { memcmp: { offset: 0, bytes: '3' } }];
    expect(await result('getProgramAccounts', [WALLET, { filters: clash }])).toEqual([]);
  });

  it('answers errors with a status like Helius and with 200 like Alchemy', async () => {
    const bad = await rpc('getBalance', ['not an address']);
    expect([bad.status, bad.json.error.code]).toEqual([400, -32602]);
    const alchemy = await rpc('getBalance', ['not an address'], provider.rpcUrls.alchemy.mainnet);
    expect([alchemy.status, alchemy.json.error.code]).toEqual([200, -32602]);
    expect((await rpc('sandbox_faucet', [WALLET])).json.error.code).toBe(-32601);
  });
});

describe('getTransactionsForAddress', () => {
  const ask = (config?: object) => result('getTransactionsForAddress', config ? [WALLET, config] : [WALLET]);

  it('pages both ways without a gap', async () => {
    const all = (await ask()).data;
    expect(Object.keys(all[0]).sort()).toEqual(
      ['blockTime', 'confirmationStatus', 'err', 'memo', 'signature', 'slot', 'transactionIndex'].sort(),
    );
    for (const sortOrder of ['asc', 'desc']) {
      const rows = [];
      let paginationToken: string | null | undefined;
      do {
        const page = await ask({ sortOrder, limit: 13, ...(paginationToken && { paginationToken }) });
        rows.push(...page.data);
        paginationToken = page.paginationToken;
        if (paginationToken) expect(paginationToken).toMatch(/^\d+:\d+$/);
      } while (paginationToken);
      expect(rows).toEqual(sortOrder === 'asc' ? all.toReversed() : all);
    }
  });

  it('filters, and shows whole transactions', async () => {
    const all = (await ask()).data;
    const { slot, blockTime } = all[10];
    const within = await ask({ filters: { slot: { gte: slot }, status: 'succeeded' } });
    expect(within.data).toEqual(all.slice(0, 11).filter(({ err }: { err: unknown }) => err === null));
    expect((await ask({ filters: { blockTime: { eq: blockTime } } })).data).toEqual([all[10]]);
    const full = await ask({ transactionDetails: 'full', limit: 4, maxSupportedTransactionVersion: 0 });
    expect(full.data).toHaveLength(4);
    expect(Object.keys(full.data[0])).toEqual(['slot', 'transactionIndex', 'transaction', 'meta', 'blockTime']);
  });

  it('refuses unknown options, and exists only at Helius', async () => {
    for (const config of [{ unknown: 1 }, { limit: 1001 }, { transactionDetails: 'full', limit: 101 }]) {
      expect((await rpc('getTransactionsForAddress', [WALLET, config])).json.error.code).toBe(-32602);
    }
    const alchemy = await rpc('getTransactionsForAddress', [WALLET], provider.rpcUrls.alchemy.mainnet);
    expect(alchemy.json.error.code).toBe(-32601);
  });
});

describe('DAS', () => {
  it('shows an asset, or a 404', async () => {
    const usdc = await result('getAsset', { id: USDC });
    expect(usdc).toMatchObject({ interface: 'FungibleToken', id: USDC, token_info: { decimals: 6, symbol: 'USDC' } });
    expect(await result('getAsset', { id: WALLET })).toMatchObject({ interface: 'V1_NFT', ownership: {} });
    const none = await rpc('getAsset', { id: EXAMPLES.absent });
    expect([none.status, none.json.error.code]).toEqual([404, -32004]);
  });

  it('pages the assets of an owner', async () => {
    const all = await result('getAssetsByOwner', { ownerAddress: WALLET, options: { showGrandTotal: true } });
    expect(all).toMatchObject({ limit: 1000, page: 1, total: all.items.length, grand_total: all.items.length });
    const second = await result('getAssetsByOwner', { ownerAddress: WALLET, page: 2, limit: 3 });
    expect(second.items).toEqual(all.items.slice(3, 6));
    const wrong = await rpc('getAssetsByOwner', { ownerAddress: WALLET, limit: 1001 });
    expect([wrong.status, wrong.json.error.code]).toEqual([400, -32602]);
  });

  it('searches by the type of token', async () => {
    const search = async (tokenType: string) =>
      (await result('searchAssets', { ownerAddress: WALLET, tokenType })).items.length;
    const [all, fungible, nft, regular, compressed] = await Promise.all(
      ['all', 'fungible', 'nonFungible', 'regularNft', 'compressedNft'].map(search),
    );
    expect(all).toBe((fungible ?? 0) + (nft ?? 0));
    expect(nft).toBe((regular ?? 0) + (compressed ?? 0));
    expect((await rpc('searchAssets', { ownerAddress: WALLET })).json.error.code).toBe(-32602);
  });
});

describe('the wallet API', () => {
  it('knows some wallets by name', async () => {
    expect(await wallet(`/${BINANCE}/identity`)).toMatchObject({ status: 200, json: { name: 'Binance 2' } });
    expect((await wallet('/toly.sol/identity')).json.domainNames).toEqual(['toly.sol']);
    expect((await wallet(`/${WALLET}/identity`)).status).toBe(404);
    expect((await wallet(`/${EXAMPLES.absent}/funded-by`)).status).toBe(404);
  });

  it('takes a batch under `addresses` only', async () => {
    const batch = (body: unknown) =>
      wallet('/batch-identity', {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      });
    const { status, json } = await batch({ addresses: [BINANCE, WALLET] });
    expect([status, json.map(({ name }: { name: unknown }) => name)]).toEqual([200, ['Binance 2', null]]);
    for (const body of [{ wallets: [BINANCE] }, { addresses: [] }, { addresses: Array(101).fill(BINANCE) }, []]) {
      expect((await batch(body)).status).toBe(400);
    }
  });

  it('lists balances, SOL first', async () => {
    const { json } = await wallet(`/${WALLET}/balances?showNfts=true`);
    expect(json.balances[0]).toMatchObject({ symbol: 'SOL', decimals: 9, tokenProgram: 'spl-token' });
    expect(json.balances.length).toBeGreaterThan(1);
    expect(json.nfts).toHaveLength(2);
    expect(json.pagination).toEqual({ page: 1, limit: 100, hasMore: false });
    const second = (await wallet(`/${WALLET}/balances?page=2&limit=1`)).json;
    expect(second.balances).toEqual([json.balances[1]]);
    expect(second.pagination.hasMore).toBe(true);
  });

  it.each([
    ['history', 'before'],
    ['transfers', 'cursor'],
  ])('pages %s', async (route, cursor) => {
    const first = (await wallet(`/${WALLET}/${route}?limit=5`)).json;
    const next = (await wallet(`/${WALLET}/${route}?limit=5&${cursor}=${first.pagination.nextCursor}`)).json;
    const both = (await wallet(`/${WALLET}/${route}?limit=10`)).json;
    expect([...first.data, ...next.data]).toEqual(both.data);
  });

  it.each([
    '/not-a-wallet/balances',
    `/${WALLET}/balances?limit=101`,
    `/${WALLET}/balances?page=0`,
    `/${WALLET}/balances?showNfts=1`,
    `/${WALLET}/history?type=NOTHING`,
    `/${WALLET}/history?tokenAccounts=some`,
    `/${WALLET}/transfers?limit=x`,
  ])('refuses %s', async (path) => {
    expect(await wallet(path)).toMatchObject({ status: 400, json: { error: expect.any(String), code: 400 } });
  });
});

// tests/payments and tests/upstream show each fault by what the gateway makes of it.
it('faults can be limited to some requests and a number of times; every arrival is recorded', async () => {
  const slot = () => rpc('getSlot', []);
  Object.assign(provider.faults, {
    status: 500,
    times: 1,
    only: ({ body }: { body: string }) => body.includes('getSlot'),
  });
  const before = provider.arrivals.length;
  expect((await rpc('getHealth', [])).status).toBe(200);
  expect([(await slot()).status, (await slot()).status]).toEqual([500, 200]);
  const arrived = provider.arrivals.slice(before).map(({ method, target }) => [method, target]);
  expect(arrived).toEqual(Array(3).fill(['POST', `/mainnet?api-key=${KEY}`]));
});
