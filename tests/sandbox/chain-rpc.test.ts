import { generateKeyPairSigner } from '@solana/kit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Chain, startChain } from '../../packages/sandbox/src/chain/chain.ts';

const TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
let chain: Chain;
beforeEach(async () => {
  chain = await startChain({ cluster: 'devnet' });
});
afterEach(() => chain.close());

const newAddress = async (): Promise<string> => (await generateKeyPairSigner()).address;

async function post(body: string) {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(chain.url, { method: 'POST', headers, body });
  return { status: response.status, text: await response.text() };
}

async function rpc(method: string, params: unknown = []) {
  const { text } = await post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
  return { text, ...JSON.parse(text) };
}

const result = async (method: string, params: unknown = []) => {
  const { result, error } = await rpc(method, params);
  expect(error).toBeUndefined();
  return result;
};

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

describe('accounts', () => {
  it('are those of the runtime, with exact u64 fields', async () => {
    const owner = await newAddress();
    expect((await result('getAccountInfo', [owner])).value).toBeNull();
    chain.airdrop(owner, 9_223_372_036_854_775_809n);
    const { text } = await rpc('getAccountInfo', [owner, { encoding: 'base64' }]);
    expect(text).toContain('"lamports":9223372036854775809,');
    expect(text).toContain('"rentEpoch":18446744073709551615,');
    expect((await rpc('getBalance', [owner])).text).toContain('"value":9223372036854775809}');
    expect(chain.lamports(owner)).toBe(9_223_372_036_854_775_809n);
  });

  it('hold USDC in associated token accounts', async () => {
    const owner = await newAddress();
    await chain.fundUsdc(owner, 12_345_678n);
    await chain.fundUsdc(owner, 1n);
    const account = await chain.createAta(owner);
    expect(await chain.usdcBalance(owner)).toBe(12_345_679n);
    for (const selection of [{ mint: chain.usdcMint }, { programId: TOKEN }]) {
      const { value } = await result('getTokenAccountsByOwner', [owner, selection, { encoding: 'jsonParsed' }]);
      expect(value.map(({ pubkey }: { pubkey: string }) => pubkey)).toEqual([account]);
    }
    const all = [[account, await newAddress()], { encoding: 'jsonParsed' }];
    const [held, none] = (await result('getMultipleAccounts', all)).value;
    const tokenAmount = { amount: '12345679', decimals: 6, uiAmount: 12.345679, uiAmountString: '12.345679' };
    expect(held.data.parsed).toMatchObject({ type: 'account', info: { owner, mint: chain.usdcMint, tokenAmount } });
    expect(none).toBeNull();
  });
});

describe('the faucet', () => {
  it('gives 10 USDC and 1 SOL', async () => {
    const address = await newAddress();
    const given = await result('sandbox_faucet', [address]);
    expect(given).toMatchObject({ address, usdc: '10000000', lamports: 1_000_000_000 });
    expect(await chain.usdcBalance(address)).toBe(10_000_000n);
    expect(chain.lamports(address)).toBe(1_000_000_000n);
    expect((await rpc('sandbox_faucet', ['x'])).error.code).toBe(-32602);
  });
});

// tests/payments shows each fault by what the gateway makes of it.
it('faults can be limited to some methods, and end with the reset', async () => {
  Object.assign(chain.faults, { status: 503, only: new Set(['getSlot']) });
  const call = (method: string) => post(JSON.stringify({ jsonrpc: '2.0', id: 1, method }));
  expect([(await call('getSlot')).status, (await call('getBlockHeight')).status]).toEqual([503, 200]);
  chain.faults.reset();
  expect([(await call('getSlot')).status, Object.keys(chain.faults)]).toEqual([200, ['expireBlockhashes', 'reset']]);
  expect(chain.calls.map(({ method }) => method)).toEqual(['getSlot', 'getBlockHeight', 'getSlot']);
});
