import { NETWORKS } from '@asset-gateway/protocol';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Chain } from '../../packages/gateway/src/payments/facilitator/chain.ts';
import { json, startStrangeGateway } from '../kit/strange-gateway.ts';
import { CONFIRMED, MISSING, NO_ACCOUNT, PROCESSED, RPC, startScriptedNode } from './scripted-node.ts';

const [node, scripted] = [await startStrangeGateway(), await startScriptedNode()];

afterEach(() => void vi.restoreAllMocks());

it('X6 the latest final block is the newest that any node has shown, also while the node that answers is behind', async () => {
  const chain = new Chain(node.url);
  let slot = 0;
  node.answer((_, response) =>
    json(response, 200, { result: { context: { slot }, value: { blockhash: '', lastValidBlockHeight: slot + 100 } } }),
  );
  const { now } = performance;
  let aheadMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + aheadMs);
  const seen: number[] = [];
  for (slot of [1_000, 400, 1_200, 1_199]) {
    const { height, chainSlot: latest } = await chain.finalized();
    expect(height).toBe(latest + 100 - 150);
    seen.push(latest);
    // The answer is reused for a second.
    aheadMs += 1_001;
  }
  expect(seen).toEqual([1_000, 1_000, 1_200, 1_200]);
  expect(node.arrivals).toHaveLength(4);
  await chain.close();
});

describe('the outcome after a transaction was sent to a provider that answers', () => {
  const sent = async (status: number) => {
    const chain = new Chain(node.url);
    node.answer((_, response) => json(response, status, {}));
    return chain.send('').finally(() => chain.close());
  };

  it.each([400, 401, 403, 404, 405, 413, 415, 429])('V4 %d: no node has got it', async (status) => {
    expect(await sent(status)).toEqual({ unsent: `rpc sendTransaction: status ${status}` });
  });

  it.each([408, 409, 421, 425, 451, 499, 500, 502, 503, 504])('V4 %d: nothing', async (status) => {
    await expect(sent(status)).rejects.toThrow(`status ${status}`);
  });
});

it('an answer may begin with a byte order mark', async () => {
  const found = `\uFEFF${JSON.stringify(CONFIRMED)}`;
  node.answer((_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(found));
  const chain = new Chain(node.url);
  expect(await chain.status('signature').finally(() => chain.close())).toMatchObject({ status: 'confirmed' });
});

it('an answer that never ends is not read to its end', async () => {
  let written = 0;
  node.answer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const chunk = Buffer.alloc(1024 * 1024, ' ');
    const more = () => {
      for (let full = false; !full && !response.destroyed; written += chunk.length) full = !response.write(chunk);
    };
    response.on('drain', more);
    more();
  });
  const chain = new Chain(node.url);
  await expect(chain.status('signature')).rejects.toMatchObject({
    code: 'facilitator_unavailable',
    details: { reason: expect.stringContaining('too large') },
  });
  expect(written).toBeLessThan(32 * 1024 * 1024);
  await chain.close();
});

/** A chain whose node answers one method like this. */
function open(method: string, ...answers: Parameters<typeof scripted.play>[0][string][number][]) {
  scripted.play({ [method]: answers });
  const chain = new Chain(scripted.url);
  onTestFinished(() => chain.close());
  return chain;
}

/** The parameters of the calls so far. */
const params = () => scripted.calls.map((call) => call.params);
const SLOT = 100;

it('a node is asked at its path and query, with JSON', async () => {
  node.answer((_, response) => json(response, 200, CONFIRMED));
  const chain = new Chain(`${node.url}/rpc?key=k`);
  await chain.status('signature');
  const [{ method, path, headers, body } = { body: '', headers: undefined }] = node.arrivals;
  expect([method, path, headers?.['content-type']]).toEqual(['POST', '/rpc?key=k', 'application/json']);
  expect(JSON.parse(body)).toMatchObject({ jsonrpc: '2.0', id: 1, method: 'getSignatureStatuses' });
  await chain.close();
  await expect(chain.status('signature')).rejects.toThrow();
  expect(node.arrivals).toHaveLength(1);
});

it('a node is asked on as many connections as a chain may have', async () => {
  const waiting: (() => void)[] = [];
  node.answer((_, response) => void waiting.push(() => json(response, 200, CONFIRMED)));
  const chain = new Chain(node.url, 2);
  const asked = Array.from({ length: 3 }, () => chain.status('signature'));
  await expect.poll(() => node.arrivals).toHaveLength(2);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(node.arrivals).toHaveLength(2);
  node.answer((_, response) => json(response, 200, CONFIRMED));
  for (const each of waiting) each();
  expect(await Promise.all(asked)).toHaveLength(3);
  await chain.close();
});

describe('an answer that proves nothing', () => {
  const value = (listed: unknown) => ({ result: { context: { slot: SLOT }, value: listed } });

  it.each<[string, string, Parameters<typeof open>[1], (chain: Chain) => Promise<unknown>]>([
    ['no status list', 'getSignatureStatuses', value(null), (chain) => chain.status('')],
    ['no status list', 'getSignatureStatuses', value([]), (chain) => chain.status('')],
    ['no status list', 'getSignatureStatuses', value([null, null]), (chain) => chain.status('')],
    ['a status without err', 'getSignatureStatuses', value([{}]), (chain) => chain.status('')],
    ['a simulation without err', 'simulateTransaction', value({}), (chain) => chain.simulate('')],
    ['no history', 'getSignaturesForAddress', value([]), (chain) => chain.transactionsOf('')],
    ['no block height', 'getLatestBlockhash', value({}), (chain) => chain.finalized()],
    ['no block height', 'getLatestBlockhash', { result: { value: { lastValidBlockHeight: 1 } } }, (c) => c.finalized()],
    ['getTransaction: code -32603', 'getTransaction', { error: { code: -32_603 } }, (chain) => chain.transaction('')],
    ['getAccountInfo: status 429', 'getAccountInfo', { status: 429 }, (chain) => chain.account('')],
  ])('refuses for now: %s, of %s', async (reason, method, answer, ask) => {
    const details = { reason: `rpc${reason.startsWith('get') ? ' ' : ': '}${reason}`, payment: { state: 'unused' } };
    await expect(ask(open(method, answer))).rejects.toMatchObject({ code: 'facilitator_unavailable', details });
  });
});

it.each([
  ['confirmed', CONFIRMED],
  ['confirmed', RPC.status({ err: null, confirmationStatus: 'finalized' })],
  ['failed', RPC.status({ err: 'AccountInUse', confirmationStatus: 'finalized' })],
  ['seen', PROCESSED],
  ['seen', RPC.status({ err: 'AccountInUse', confirmationStatus: 'processed' })],
  ['missing', MISSING],
])('a transaction is %s', async (status, answer) => {
  expect(await open('getSignatureStatuses', answer).status('signature')).toEqual({ status, chainSlot: SLOT });
  expect(params()).toEqual([[['signature'], { searchTransactionHistory: true }]]);
});

describe('the final block', () => {
  const block = { result: { context: { slot: SLOT }, value: { lastValidBlockHeight: 207 } } };

  it('is reused for a second', async () => {
    let nowMs = 5_000;
    vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
    const chain = open('getLatestBlockhash', block);
    const asked: number[] = [];
    for (nowMs of [5_000, 5_999, 6_000]) {
      expect(await chain.finalized()).toEqual({ height: 57, chainSlot: SLOT });
      asked.push(scripted.calls.length);
    }
    expect([asked, params()[0]]).toEqual([[1, 1, 2], [{ commitment: 'finalized' }]]);
  });

  it('is asked for again after a failure', async () => {
    const chain = open('getLatestBlockhash', { status: 500 }, block);
    await expect(chain.finalized()).rejects.toThrow('status 500');
    expect(await chain.finalized()).toEqual({ height: 57, chainSlot: SLOT });
  });
});

describe('a history', () => {
  it('has the memos, the times and the failures of its transactions', async () => {
    const listed = { signature: 's', slot: 3, err: null, blockTime: 1_795_000_000, memo: '[3] one; [5] a] b' };
    const failed = { signature: 'f', slot: 2, err: 'AccountInUse', blockTime: null, memo: null };
    const chain = open('getSignaturesForAddress', { result: [listed, failed] });
    expect(await chain.transactionsOf('account', { before: 'b', minChainSlot: 9 })).toEqual([
      { signature: 's', chainSlot: 3, hasFailed: false, atMs: 1_795_000_000_000, memos: ['one', 'a] b'] },
      { signature: 'f', chainSlot: 2, hasFailed: true, atMs: 0, memos: [] },
    ]);
    await chain.transactionsOf('account');
    const page = { limit: 1_000, commitment: 'confirmed' };
    expect(params()).toEqual([
      ['account', { ...page, before: 'b', minContextSlot: 9 }],
      ['account', page],
    ]);
  });
});

describe('a transaction that is read', () => {
  const settings = { commitment: 'confirmed', maxSupportedTransactionVersion: 0 };

  it("equals the node's description", async () => {
    const described = { slot: 1, transaction: {} };
    expect(await open('getTransaction', { result: described }).transaction('s')).toEqual(described);
    expect(params()).toEqual([['s', { ...settings, encoding: 'json' }]]);
  });

  it.each([
    [{ transaction: ['AQI=', 'base64'] }, Buffer.of(1, 2)],
    [null, undefined],
  ])('has the bytes of %j', async (result, bytes) => {
    expect(await open('getTransaction', { result }).transactionBytes('s')).toEqual(bytes);
    expect(params()).toEqual([['s', { ...settings, encoding: 'base64' }]]);
  });
});

it.each([
  [null, undefined],
  ['BlockhashNotFound', '"BlockhashNotFound"'],
])('a simulation with the error %j answers %j', async (err, told) => {
  expect(await open('simulateTransaction', RPC.simulated(err)).simulate('AQI=')).toBe(told);
  expect(params()).toEqual([['AQI=', { encoding: 'base64', sigVerify: true, commitment: 'confirmed' }]]);
});

describe('a transaction that is sent', () => {
  const send = (answer: Parameters<typeof open>[1]) => open('sendTransaction', answer).send('AQI=');

  it('is simulated by the node itself first', async () => {
    expect(await send(RPC.sent)).toBe('sent');
    expect(params()).toEqual([['AQI=', { encoding: 'base64', preflightCommitment: 'confirmed' }]]);
    expect(await send(RPC.unsimulated('AlreadyProcessed'))).toEqual({ error: '"AlreadyProcessed"' });
  });

  it.each([
    ['another code', { error: { code: -32_603, data: { err: 'AlreadyProcessed' } } }],
    ['no error of a simulation', { error: { code: -32_002 } }],
  ])('may have been sent after %s', async (_, answer) => {
    await expect(send(answer)).rejects.toMatchObject({ code: 'facilitator_unavailable' });
  });

  it('is not sent without a connection', async () => {
    const gone = await startStrangeGateway();
    await gone.stop();
    const chain = new Chain(gone.url);
    expect(await chain.send('AQI=')).toEqual({ unsent: expect.stringContaining('ECONNREFUSED') });
    await chain.close();
  });
});

it.each([
  [RPC.account(7), { owner: 'system', lamports: 7 }],
  [NO_ACCOUNT, undefined],
])('an account is %j', async (answer, account) => {
  expect(await open('getAccountInfo', answer).account('address')).toEqual(account);
  expect(params()).toEqual([['address', { encoding: 'base64' }]]);
});

it('the token accounts of a wallet are counted', async () => {
  const chain = open('getTokenAccountsByOwner', { result: { value: [{}, {}] } });
  expect(await chain.tokenAccounts('owner', 'program')).toBe(2);
  expect(params()).toEqual([['owner', { programId: 'program' }, { encoding: 'base64' }]]);
});

it('a network is named by the first 32 characters of its genesis hash', async () => {
  const genesis = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
  expect(await open('getGenesisHash', { result: genesis }).network()).toBe(NETWORKS.mainnet);
  expect(params()).toEqual([[]]);
});
