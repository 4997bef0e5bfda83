import { USDC } from '@asset-gateway/protocol';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { stopAfterTests } from '../kit/stop-after-tests.ts';
import { startTestGateway, type TestGateway } from '../kit/test-gateway.ts';

const ADDRESSES = ['So11111111111111111111111111111111111111112', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'];

const gateway = await stopAfterTests(startTestGateway({}, { paid: true }));

const callsOf = (method: string): number =>
  gateway.solana?.mainnet.calls.filter((call) => call.method === method).length ?? 0;
const countAll = (): number => gateway.solana?.mainnet.calls.length ?? 0;

const post = (cluster: string, body: unknown) =>
  fetch(`${gateway.url}/console/rpc/${cluster}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const ask = (method: string, params: unknown[] = [], cluster = 'mainnet') =>
  post(cluster, { jsonrpc: '2.0', id: 'x', method, params });

describe('the chain data for the console', () => {
  it('has one blockhash for all requests within two seconds', async () => {
    const [before, since] = [callsOf('getLatestBlockhash'), performance.now()];
    const answers = await Promise.all(Array.from({ length: 50 }, async () => (await ask('getLatestBlockhash')).json()));
    for (const answer of answers)
      expect(answer).toMatchObject({ jsonrpc: '2.0', id: 'x', result: { value: { blockhash: expect.any(String) } } });
    // A slow machine takes longer than two seconds, and so another call.
    const spans = 1 + Math.floor((performance.now() - since) / 2_000);
    expect(callsOf('getLatestBlockhash') - before).toBeLessThanOrEqual(spans);
  });

  it('loads the USDC account once', async () => {
    const before = callsOf('getAccountInfo');
    for (let round = 0; round < 5; round++) {
      const { result } = await (await ask('getAccountInfo', [USDC.mainnet, { encoding: 'jsonParsed' }])).json();
      expect(result.value.data[1]).toBe('base64');
    }
    expect(callsOf('getAccountInfo') - before).toBe(1);
  });

  it('has the balances of one or two addresses and nothing else of the accounts', async () => {
    const { result } = await (await ask('getMultipleAccounts', [ADDRESSES])).json();
    expect(result.value).toHaveLength(2);
    const call = gateway.solana?.mainnet.calls.findLast(({ method }) => method === 'getMultipleAccounts');
    expect(call?.params).toMatchObject([ADDRESSES, { dataSlice: { offset: 64, length: 8 } }]);
  });

  it('takes at most two balance calls per second, and blockhashes do not count', async () => {
    await new Promise((over) => setTimeout(over, 600));
    const before = callsOf('getMultipleAccounts');
    const flood = await Promise.all(
      [...'123456789ABCDEFGHJKLMNPQRSTUVWXYZ'].map((letter) => ask('getMultipleAccounts', [[letter.repeat(40)]])),
    );
    const refused = flood.filter(({ status }) => status === 429);
    expect(flood.length - refused.length).toBe(callsOf('getMultipleAccounts') - before);
    expect(refused.length).toBeGreaterThan(flood.length / 2);
    expect(refused[0]?.headers.get('retry-after')).toBe('1');
    expect((await ask('getLatestBlockhash')).status).toBe(200);
  });
});

describe('with a failing RPC', () => {
  let other: TestGateway;
  beforeAll(async () => {
    other = await startTestGateway({}, { paid: true });
  });
  afterAll(() => other.stop());
  const askOther = (method: string, params: unknown[] = []) =>
    fetch(`${other.url}/console/rpc/mainnet`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
  const countOf = (method: string): number =>
    other.solana?.mainnet.calls.filter((call) => call.method === method).length ?? 0;

  it('a failure is repeated for two seconds and takes one call', async () => {
    Object.assign(other.solana?.mainnet.faults ?? {}, { status: 500 });
    const [before, since] = [countOf('getLatestBlockhash'), performance.now()];
    for (let round = 0; round < 20; round++) {
      const answer = await (await askOther('getLatestBlockhash')).json();
      expect(['upstream_unreachable', 'upstream_invalid_response']).toContain(answer.error);
      expect(JSON.stringify(answer)).not.toContain('127.0.0.1');
    }
    const spans = 1 + Math.floor((performance.now() - since) / 2_000);
    expect(countOf('getLatestBlockhash') - before).toBeLessThanOrEqual(spans);
    other.solana?.mainnet.faults.reset();
  });

  it('at most two balance calls hang, and blockhashes do not wait for them', async () => {
    Object.assign(other.solana?.mainnet.faults ?? {}, { hang: new Set(['getMultipleAccounts']) });
    const hanging: Promise<Response>[] = [];
    for (let round = 0; round < 3; round++) {
      hanging.push(askOther('getMultipleAccounts', [['ABC'[round]?.repeat(40)]]));
      await new Promise((over) => setTimeout(over, 600));
    }
    expect((await hanging[2])?.status).toBe(429);
    await expect.poll(async () => (await askOther('getLatestBlockhash')).status, { timeout: 4_000 }).toBe(200);
    expect((await Promise.all(hanging)).map(({ status }) => status)).toEqual([502, 502, 429]);
    expect(countOf('getMultipleAccounts')).toBe(2);
  });
});

describe('requests that no page needs do not reach the RPC', () => {
  let before: number;
  beforeEach(() => {
    before = countAll();
  });

  it.each<[string, unknown]>([
    ['another method', { jsonrpc: '2.0', id: 1, method: 'getProgramAccounts', params: [] }],
    ['a transaction', { jsonrpc: '2.0', id: 1, method: 'sendTransaction', params: ['AA=='] }],
    ['another account', { jsonrpc: '2.0', id: 1, method: 'getAccountInfo', params: [ADDRESSES[0]] }],
    [
      'three addresses',
      { jsonrpc: '2.0', id: 1, method: 'getMultipleAccounts', params: [[...ADDRESSES, ADDRESSES[0]]] },
    ],
    ['no address', { jsonrpc: '2.0', id: 1, method: 'getMultipleAccounts', params: [[]] }],
    ['an invalid address', { jsonrpc: '2.0', id: 1, method: 'getMultipleAccounts', params: [[{ a: 1 }]] }],
    ['a batch', [{ jsonrpc: '2.0', id: 1, method: 'getLatestBlockhash' }]],
  ])('%s: 400', async (_, body) => {
    expect(await (await post('mainnet', body)).json()).toMatchObject({
      error: 'invalid_request',
      issues: expect.any(Array),
    });
    expect(countAll()).toBe(before);
  });

  it('an unknown cluster: 400; a cluster without settlements: 404', async () => {
    expect((await ask('getLatestBlockhash', [], 'testnet')).status).toBe(400);
    const free = await startTestGateway();
    const answer = await fetch(`${free.url}/console/rpc/mainnet`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getLatestBlockhash' }),
    });
    expect(answer.status).toBe(404);
    await free.stop();
    expect(countAll()).toBe(before);
  });
});
