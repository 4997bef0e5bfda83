import { USDC } from '@asset-gateway/protocol';
import bs58 from 'bs58';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { jsonInit } from '../http/targets.ts';
import { startTestGateway, type TestGateway } from '../kit/test-gateway.ts';

const ADDRESSES = ['So11111111111111111111111111111111111111112', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'];

const gateway: TestGateway = await startTestGateway({}, { paid: true });
const failing = await startTestGateway({}, { paid: true });
const free = await startTestGateway();

/** The calls of a method that reached the chain; all calls without one. */
const countOf = (method?: string, { solana } = gateway): number =>
  solana?.mainnet.calls.filter((call) => method === undefined || call.method === method).length ?? 0;

const post = (body: unknown, { url } = gateway, cluster = 'mainnet') =>
  fetch(`${url}/console/rpc/${cluster}`, jsonInit(body));
const request = (method: string, params: unknown[] = []) => ({ jsonrpc: '2.0', id: 'x', method, params });
const ask = (method: string, params: unknown[] = [], other = gateway) => post(request(method, params), other);

/** An address for each number. */
const addressOf = (number: number): string => bs58.encode(new Uint8Array(32).fill(number + 1));

describe('the chain data for the console', () => {
  it('has one blockhash for all requests within two seconds', async () => {
    const [before, since] = [countOf('getLatestBlockhash'), performance.now()];
    const answers = await Promise.all(Array.from({ length: 50 }, async () => (await ask('getLatestBlockhash')).json()));
    for (const answer of answers)
      expect(answer).toMatchObject({ jsonrpc: '2.0', id: 'x', result: { value: { blockhash: expect.any(String) } } });
    // A slow machine takes longer than two seconds, and so another call.
    const spans = 1 + Math.floor((performance.now() - since) / 2_000);
    expect(countOf('getLatestBlockhash') - before).toBeLessThanOrEqual(spans);
  });

  it('loads the USDC account once', async () => {
    const before = countOf('getAccountInfo');
    for (let round = 0; round < 5; round++) {
      const { result } = await (await ask('getAccountInfo', [USDC.mainnet, { encoding: 'jsonParsed' }])).json();
      expect(result.value.data[1]).toBe('base64');
    }
    expect(countOf('getAccountInfo') - before).toBe(1);
  });

  it('has the balances of one or two addresses and nothing else of the accounts', async () => {
    const { result } = await (await ask('getMultipleAccounts', [ADDRESSES])).json();
    expect(result.value).toHaveLength(2);
    const call = gateway.solana?.mainnet.calls.findLast(({ method }) => method === 'getMultipleAccounts');
    expect(call?.params).toMatchObject([ADDRESSES, { dataSlice: { offset: 64, length: 8 } }]);
  });

  it('X22 has the final block, the genesis hash, and at most 100 transactions of an account', async () => {
    const [young, final] = await Promise.all(
      ['confirmed', 'finalized'].map(async (commitment) => {
        return (await (await ask('getLatestBlockhash', [{ commitment }])).json()).result;
      }),
    );
    expect(young.value.lastValidBlockHeight - final.value.lastValidBlockHeight).toBeGreaterThan(20);
    expect((await (await ask('getGenesisHash')).json()).result).toMatch(/^5eykt4/);
    const config = { minContextSlot: final.context.slot, limit: 1_000, before: 'x' };
    const both = await Promise.all(ADDRESSES.map((each) => ask('getSignaturesForAddress', [each, config])));
    for (const answer of both) expect(await answer.json()).toMatchObject({ result: [] });
    const call = gateway.solana?.mainnet.calls.findLast(({ method }) => method === 'getSignaturesForAddress');
    const { minContextSlot } = config;
    expect(call?.params).toMatchObject([expect.any(String), { commitment: 'finalized', limit: 100, minContextSlot }]);
  });

  it('takes at most three reads of balances and transactions of one client per second, and blockhashes do not count', async () => {
    await new Promise((over) => setTimeout(over, 1_100));
    const reads = () => countOf('getMultipleAccounts') + countOf('getSignaturesForAddress');
    const [before, since] = [reads(), performance.now()];
    const flood: Response[] = [];
    for (let number = 0; number < 33; number++) {
      const address = addressOf(number);
      flood.push(await ask('getMultipleAccounts', [[address]]));
      flood.push(await ask('getSignaturesForAddress', [address, { minContextSlot: 1 }]));
    }
    const spans = 1 + Math.floor((performance.now() - since) / 1_000);
    const refused = flood.filter(({ status }) => status === 429);
    expect(flood.length - refused.length).toBe(reads() - before);
    expect(reads() - before).toBeGreaterThanOrEqual(1);
    expect(reads() - before).toBeLessThanOrEqual(3 * spans);
    expect(refused[0]?.headers.get('retry-after')).toBe('1');
    expect((await ask('getLatestBlockhash')).status).toBe(200);
  });
});

describe('with a failing RPC', () => {
  it('a failure is repeated for two seconds and takes one call', async () => {
    Object.assign(failing.solana?.mainnet.faults ?? {}, { status: 500 });
    const [before, since] = [countOf('getLatestBlockhash', failing), performance.now()];
    for (let round = 0; round < 20; round++) {
      const answer = await (await ask('getLatestBlockhash', [], failing)).json();
      expect(['upstream_unreachable', 'upstream_invalid_response']).toContain(answer.error);
      expect(JSON.stringify(answer)).not.toContain('127.0.0.1');
    }
    const spans = 1 + Math.floor((performance.now() - since) / 2_000);
    expect(countOf('getLatestBlockhash', failing) - before).toBeLessThanOrEqual(spans);
    failing.solana?.mainnet.faults.reset();
  });

  it('at most two balance calls hang, and blockhashes do not wait for them', async () => {
    Object.assign(failing.solana?.mainnet.faults ?? {}, { hang: new Set(['getMultipleAccounts']) });
    const hanging: Promise<Response>[] = [];
    for (let round = 0; round < 3; round++) {
      hanging.push(ask('getMultipleAccounts', [[addressOf(round)]], failing));
      await new Promise((over) => setTimeout(over, 600));
    }
    expect((await hanging[2])?.status).toBe(429);
    await expect.poll(async () => (await ask('getLatestBlockhash', [], failing)).status).toBe(200);
    expect((await Promise.all(hanging)).map(({ status }) => status)).toEqual([502, 502, 429]);
    expect(countOf('getMultipleAccounts', failing)).toBe(2);
  });
});

describe('requests that no page needs do not reach the RPC', () => {
  let before: number;
  beforeEach(() => {
    before = countOf();
  });
  afterEach(() => expect(countOf()).toBe(before));

  it.each<[string, unknown]>([
    ['another method', request('getProgramAccounts')],
    ['a transaction', request('sendTransaction', ['AA=='])],
    ['another account', request('getAccountInfo', [ADDRESSES[0]])],
    ['three addresses', request('getMultipleAccounts', [[...ADDRESSES, ADDRESSES[0]]])],
    ['no address', request('getMultipleAccounts', [[]])],
    ['the transactions of no address', request('getSignaturesForAddress', [7, { minContextSlot: 1 }])],
    ['transactions since no slot', request('getSignaturesForAddress', [ADDRESSES[0], { minContextSlot: 'x' }])],
    ['an invalid address', request('getMultipleAccounts', [[{ a: 1 }]])],
    ['a batch', [request('getLatestBlockhash')]],
  ])('%s: 400', async (_, body) => {
    const refused = { error: 'invalid_request', issues: expect.any(Array) };
    expect(await (await post(body)).json()).toMatchObject(refused);
  });

  it('an unknown cluster: 400; a cluster without settlements: 404', async () => {
    expect((await post(request('getLatestBlockhash'), gateway, 'testnet')).status).toBe(400);
    expect((await ask('getLatestBlockhash', [], free)).status).toBe(404);
  });
});
