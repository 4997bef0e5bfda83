import { generateKeyPairSigner } from '@solana/kit';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Chain, startChain } from '../../packages/sandbox/src/chain/chain.ts';
import { readJson, writeJson } from '../../packages/sandbox/src/chain/json.ts';

const TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const FINALITY = 32;

let time = 1_800_000_000_000;
let chain: Chain;
beforeEach(async () => {
  chain = await startChain({ cluster: 'devnet', now: () => time });
});
afterEach(() => chain.close());

const newAddress = async (): Promise<string> => (await generateKeyPairSigner()).address;

async function post(body: string, init: RequestInit = {}) {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(chain.url, { method: 'POST', headers, body, ...init });
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

describe('JSON text', () => {
  it('keeps integers of any width', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }), fc.string(), (wide, text) => {
        const written = writeJson({ wide, list: [wide], text, left: undefined });
        expect(written).toContain(`"wide":${wide},"list":[${wide}]`);
        const read = readJson(written) as { wide: number | bigint; text: string };
        expect(BigInt(read.wide)).toBe(wide);
        expect(read.text).toBe(text);
      }),
    );
  });

  it('is read and written like JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(writeJson(value as never))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

describe('the envelope', () => {
  it('echoes ids unchanged', async () => {
    for (const id of ['1', '"a"', 'null', '18446744073709551615', '0']) {
      const { text } = await post(`{"jsonrpc":"2.0","id":${id},"method":"getHealth"}`);
      expect(text).toBe(`{"jsonrpc":"2.0","result":"ok","id":${id}}`);
    }
  });

  it('answers a batch in order', async () => {
    const call = (id: number, method: string) => ({ jsonrpc: '2.0', id, method, params: [] });
    const { text } = await post(JSON.stringify([call(1, 'getHealth'), call(2, 'nothing'), 5]));
    expect(JSON.parse(text)).toEqual([
      { jsonrpc: '2.0', result: 'ok', id: 1 },
      { jsonrpc: '2.0', error: { code: -32601, message: 'Method not found' }, id: 2 },
      { jsonrpc: '2.0', error: { code: -32600, message: 'Invalid request' }, id: null },
    ]);
  });

  it.each([
    ['{', -32700],
    ['[]', -32600],
    ['{"id":1,"method":"getHealth"}', -32600],
    ['{"jsonrpc":"2.0","id":1,"method":"constructor"}', -32601],
    ['{"jsonrpc":"2.0","id":1,"method":"getBalance","params":{}}', -32602],
    ['{"jsonrpc":"2.0","id":1,"method":"getBalance","params":["x"]}', -32602],
    ['{"jsonrpc":"2.0","id":1,"method":"getBalance"}', -32602],
  ])('refuses %s', async (body, code) => {
    const { status, text } = await post(body);
    expect([status, JSON.parse(text).error.code]).toEqual([200, code]);
  });

  it('refuses other verbs and content types with a status', async () => {
    expect((await fetch(chain.url)).status).toBe(405);
    expect(await (await fetch(`${chain.url}/health`)).text()).toBe('ok');
    expect((await post('{}', { headers: { 'content-type': 'text/plain' } })).status).toBe(415);
    expect((await post(' '.repeat(1_100_000))).status).toBe(413);
  });
});

describe('blocks', () => {
  const height = (commitment: string) => result('getBlockHeight', [{ commitment }]);

  it('advance with time and on request, with finality 32 behind', async () => {
    const start = await height('confirmed');
    expect(await height('finalized')).toBe(start - FINALITY);
    expect(await result('getBlockHeight')).toBe(start - FINALITY);
    time += 400 * 10;
    expect(await height('confirmed')).toBe(start + 10);
    chain.advanceBlocks(5);
    expect(await height('processed')).toBe(start + 15);
    const info = await result('getEpochInfo', [{ commitment: 'confirmed' }]);
    expect(info.blockHeight).toBe(start + 15);
    expect(info.epoch * info.slotsInEpoch + info.slotIndex).toBe(info.absoluteSlot);
    expect(await result('getSlot', [{ commitment: 'confirmed' }])).toBe(info.absoluteSlot);
  });

  it('have a blockhash that is valid for 150 blocks', async () => {
    const latest = async () => (await result('getLatestBlockhash', [{ commitment: 'confirmed' }])).value;
    const first = await latest();
    expect(first.lastValidBlockHeight).toBe((await height('confirmed')) + 150);
    expect(await latest()).toEqual(first);
    chain.advanceBlocks(1);
    expect((await latest()).blockhash).not.toBe(first.blockhash);
    const isValid = async (commitment: string) =>
      (await result('isBlockhashValid', [first.blockhash, { commitment }])).value;
    expect([await isValid('confirmed'), await isValid('finalized')]).toEqual([true, false]);
    chain.faults.expireBlockhashes();
    expect(await isValid('confirmed')).toBe(false);
    expect((await result('isBlockhashValid', [await newAddress()])).value).toBe(false);
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
    expect((await result('getTokenAccountBalance', [account])).value).toEqual({
      amount: '12345679',
      decimals: 6,
      uiAmount: 12.345679,
      uiAmountString: '12.345679',
    });
    for (const selection of [{ mint: chain.usdcMint }, { programId: TOKEN }]) {
      const { value } = await result('getTokenAccountsByOwner', [owner, selection, { encoding: 'jsonParsed' }]);
      expect(value.map(({ pubkey }: { pubkey: string }) => pubkey)).toEqual([account]);
    }
    const [mint, held, none] = (
      await result('getMultipleAccounts', [[chain.usdcMint, account, await newAddress()], { encoding: 'jsonParsed' }])
    ).value;
    expect(mint.data.parsed).toMatchObject({ type: 'mint', info: { decimals: 6 } });
    expect(held.data.parsed).toMatchObject({ type: 'account', info: { owner, mint: chain.usdcMint } });
    expect(none).toBeNull();
  });

  it('are listed by program, filtered and sliced', async () => {
    const owner = await newAddress();
    await chain.fundUsdc(owner, 7n);
    await chain.createAta(await newAddress());
    const filters = [{ dataSize: 165 }, { memcmp: { offset: 32, bytes: owner } }];
    const config = { encoding: 'base64', filters, dataSlice: { offset: 64, length: 8 } };
    const rows = await result('getProgramAccounts', [TOKEN, config]);
    expect(rows).toHaveLength(1);
    expect(Buffer.from(rows[0].account.data[0], 'base64').readBigUInt64LE()).toBe(7n);
    expect((await result('getProgramAccounts', [TOKEN, { ...config, withContext: true }])).value).toEqual(rows);
    expect((await rpc('getProgramAccounts', [TOKEN, { filters: [{}] }])).error.code).toBe(-32602);
  });

  it('need the rent of the runtime', async () => {
    expect(await result('getMinimumBalanceForRentExemption', [165])).toBe(2_039_280);
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

  it('equal airdrops are two transactions, which become final', async () => {
    const address = await newAddress();
    const signatures = await Promise.all([1, 2].map(() => result('requestAirdrop', [address, 5_000_000])));
    expect(chain.lamports(address)).toBe(10_000_000n);
    const rows = await result('getSignaturesForAddress', [address, { commitment: 'confirmed' }]);
    expect(rows.map(({ signature }: { signature: string }) => signature).sort()).toEqual(signatures.sort());
    const [signature] = signatures;
    const status = async () => (await result('getSignatureStatuses', [[signature]])).value[0];
    expect(await status()).toMatchObject({ confirmationStatus: 'confirmed', err: null, status: { Ok: null } });
    const config = { encoding: 'json', maxSupportedTransactionVersion: 0 };
    expect(await result('getTransaction', [signature, config])).toBeNull();
    const found = await result('getTransaction', [signature, { ...config, commitment: 'confirmed' }]);
    expect(found).toMatchObject({ version: 0, meta: { err: null, fee: 5000 } });
    expect(found.blockTime).toBe(Math.floor(time / 1000));
    chain.advanceBlocks(FINALITY);
    expect(await status()).toMatchObject({ confirmationStatus: 'finalized', confirmations: null });
    expect(await result('getTransaction', [signature, config])).toEqual(found);
    chain.advanceBlocks(200);
    expect(await status()).toBeNull();
    const searched = await result('getSignatureStatuses', [[signature], { searchTransactionHistory: true }]);
    expect(searched.value[0].slot).toBe(found.slot);
  });
});

// tests/payments shows each fault by what the gateway makes of it.
it('faults can be limited to some methods, and end with the reset', async () => {
  Object.assign(chain.faults, { status: 503, only: new Set(['getSlot']) });
  const call = (method: string) => post(JSON.stringify({ jsonrpc: '2.0', id: 1, method }));
  expect([(await call('getSlot')).status, (await call('getHealth')).status]).toEqual([503, 200]);
  chain.faults.reset();
  expect([(await call('getSlot')).status, Object.keys(chain.faults)]).toEqual([200, ['expireBlockhashes', 'reset']]);
  expect(chain.calls.map(({ method }) => method)).toEqual(['getSlot', 'getHealth', 'getSlot']);
});
