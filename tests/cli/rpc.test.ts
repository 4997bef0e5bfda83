import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { memoryLedger } from '@asset-gateway/client/pay';
import { below } from '@asset-gateway/protocol';
import { address, createSolanaRpc } from '@solana/kit';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Answers } from '../../packages/cli/src/rpc/answer.ts';
import { fallbackTo } from '../../packages/cli/src/rpc/fallback.ts';
import { rpcServer } from '../../packages/cli/src/rpc/server.ts';
import { openCustomer } from '../client/kit.ts';
import { startEverything } from '../discovery/everything.ts';
import { jsonInit } from '../http/targets.ts';

const ACCOUNT = 'So11111111111111111111111111111111111111112';
const LARGEST = '18446744073709551615';
const PATH = '/secret-path';
const BUNDLE = 50_000;
const PAGE = 'http://localhost:3000';

const gateway = await startEverything({ CREDIT: 'on' });
const { provider, mainnet } = gateway.solana;
beforeEach(() => provider.faults.reset());

/** A server with a wallet that may buy credit; without `isRich` it may only use credit that it lacks. */
async function openRpc({ isRich = true, fallback = undefined as string | undefined } = {}) {
  const ledger = memoryLedger();
  const signed = vi.spyOn(ledger, 'signed');
  const { client, transfers } = await openCustomer(gateway, isRich ? { ledger } : { caps: { perDayUsd: 0 } });
  const answers = new Answers({
    client: client.with({ credit: true }),
    peers: { gateway: gateway.url, rpc: undefined },
    unpaidHint: 'Buy credit.',
    fallback: fallback === undefined ? undefined : fallbackTo(fallback),
  });
  const server = rpcServer({ path: PATH, origins: [PAGE], answerTo: (body) => answers.to(body) });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  afterAll(() => server.close());
  const { port } = server.address() as AddressInfo;
  return { port, url: `http://127.0.0.1:${port}${PATH}`, transfers, signed };
}

const rpc = await openRpc();

const JSON_HEADERS = { 'Content-Type': 'application/json' };

/** The answer to a body, as it is on the wire. */
async function textFor(body: unknown, url = rpc.url): Promise<string> {
  return (await fetch(url, jsonInit(body))).text();
}

const asked = (method: string, params?: unknown, id: unknown = 1) => ({ jsonrpc: '2.0', id, method, params });
const answerTo = async (body: unknown, url?: string): Promise<unknown> => JSON.parse(await textFor(body, url));

describe('a local RPC', () => {
  it('answers a method from credit, of which parallel calls buy one bundle', async () => {
    const { url, transfers, signed } = await openRpc();
    const answers = await Promise.all([1, 2, 3].map((id) => answerTo(asked('getBalance', [ACCOUNT], id), url)));
    for (const [index, answer] of answers.entries()) {
      const result = { context: expect.anything(), value: expect.anything() };
      expect(answer).toEqual({ jsonrpc: '2.0', id: index + 1, result });
    }
    expect([transfers().length, signed.mock.calls.length, signed.mock.calls[0]?.[1].micros]).toEqual([1, 1, BUNDLE]);
  });

  it('answers batches in their order, with an answer for each request that has an id', async () => {
    const before = rpc.transfers().length;
    const silent = { method: 'getBalance', params: [ACCOUNT] };
    const batch = [asked('getBalance', [ACCOUNT], 'a'), silent, 7, asked('getSlot', [], 'b')];
    const answers = (await answerTo(batch)) as object[];
    expect(answers.map((each) => [below(each, 'id'), below(each, 'error', 'code')])).toEqual([
      ['a', undefined],
      [null, -32_600],
      ['b', -32_601],
    ]);
    expect(await textFor([{ method: 'getBalance', params: [ACCOUNT] }])).toBe('');
    expect(below(await answerTo([]), 'error', 'code')).toBe(-32_600);
    const many = Array.from({ length: 101 }, () => asked('getBalance', [ACCOUNT]));
    expect(below(await answerTo(many), 'error', 'message')).toBe('a batch has 1 to 100 requests');
    expect(rpc.transfers().length - before).toBeLessThanOrEqual(1);
  });

  it('keeps every digit and byte of ids, parameters and results', async () => {
    const result = `{"b":[${LARGEST},1.50],"t":"}\\u0000\\"","a":1e400}`;
    await textFor(asked('getBalance', [ACCOUNT]));
    // The gateway counts its calls.
    const next = Number(below(JSON.parse(provider.arrivals.at(-1)?.body ?? ''), 'id')) + 1;
    provider.faults.body = `{"jsonrpc":"2.0","id":${next},"result":${result}}`;
    const id = '9007199254740993';
    expect(await textFor(`{"jsonrpc":"2.0","id":${id},"method":"getBalance","params":["${ACCOUNT}"]}`)).toBe(
      `{"jsonrpc":"2.0","id":${id},"result":${result}}`,
    );
    provider.faults.reset();
    const params = `["${ACCOUNT}",{"minContextSlot":9007199254740991}]`;
    await textFor(`{"jsonrpc":"2.0","id":1,"method":"getBalance","params":${params}}`);
    expect(JSON.stringify(provider.arrivals.at(-1))).toContain('9007199254740991');
  });

  it('refuses wrong parameters, without a charge', async () => {
    const arrivals = provider.arrivals.length;
    const answer = await answerTo(asked('getBalance', [ACCOUNT, { commitment: 'soon', minContextSlot: '1' }]));
    expect(answer).toMatchObject({ error: { code: -32_602, data: { code: 'invalid_request' } } });
    expect(below(answer, 'error', 'message')).toMatch(/commitment/);
    const tooLarge = `{"jsonrpc":"2.0","id":1,"method":"getBalance","params":["${ACCOUNT}",{"minContextSlot":${LARGEST}}]}`;
    expect(below(await answerTo(tooLarge), 'error', 'code')).toBe(-32_602);
    for (const [method, params] of [
      ['getBalance', { account: ACCOUNT }],
      ['getAsset', [ACCOUNT]],
    ] as const)
      expect(below(await answerTo(asked(method, params)), 'error', 'code')).toBe(-32_602);
    expect(provider.arrivals.length).toBe(arrivals);
  });

  it('says which methods the gateway does not sell, and calls nothing', async () => {
    const arrivals = gateway.logLines.length;
    for (const method of ['sendTransaction', 'toString', '__proto__', 'constructor', '']) {
      const answer = await answerTo(asked(method, []));
      expect([method, below(answer, 'error', 'code')]).toEqual([method, -32_601]);
      expect(below(answer, 'error', 'message')).toMatch(
        /^the gateway does not sell .*; it sells getBalance, .*getAsset/,
      );
    }
    expect(below(await answerTo('{"'), 'error', 'code')).toBe(-32_700);
    expect(gateway.logLines.length).toBe(arrivals);
  });

  it('sends other methods, and parameters that the gateway refuses, to the fallback, digit for digit', async () => {
    const { url } = await openRpc({ fallback: mainnet.url });
    const latest = `{"jsonrpc":"2.0","id":${LARGEST},"method":"getLatestBlockhash","params":[]}`;
    expect(await textFor(latest, url)).toMatch(/"result":.*"blockhash":/);
    expect(await textFor(asked('getHealth', []), url)).toContain('Method not found');
    const arrivals = provider.arrivals.length;
    const unbounded = asked('getAccountInfo', [ACCOUNT, { encoding: 'base64', dataSlice: { offset: 0, length: 2e3 } }]);
    expect(below(await answerTo(unbounded), 'error', 'code')).toBe(-32_602);
    expect(below(await answerTo(unbounded, url), 'result', 'value')).toBeDefined();
    expect(provider.arrivals.length).toBe(arrivals);
    const gone = await openRpc({ fallback: 'http://127.0.0.1:1/key-in-path' });
    const answer = await textFor(asked('getHealth', []), gone.url);
    expect(answer).toContain('the fallback 127.0.0.1:1 cannot be reached');
    expect(answer).not.toContain('key-in-path');
  });

  it('passes on the limit of spending, and signs nothing', async () => {
    const { url, transfers } = await openRpc({ isRich: false });
    const answer = await answerTo(asked('getBalance', [ACCOUNT]), url);
    expect(answer).toMatchObject({ error: { code: -32_603, data: { code: 'spending_limit' } } });
    expect(transfers()).toEqual([]);
  });

  it('is an RPC for kit', async () => {
    const kit = createSolanaRpc(rpc.url);
    const { value } = await kit.getBalance(address(ACCOUNT)).send();
    expect(typeof value).toBe('bigint');
    const info = await kit.getAccountInfo(address(ACCOUNT), { encoding: 'base64' }).send();
    expect(info).toHaveProperty('value');
    await expect(kit.getSlot().send()).rejects.toThrow(/does not sell getSlot/);
  });
});

/** The status and the text of an answer to a request with exactly these headers. */
function statusOf(headers: Record<string, string>, { method = 'POST', path = PATH, body = '{}' } = {}) {
  return new Promise<readonly [number, string]>((resolve, reject) => {
    const sent = httpRequest({ port: rpc.port, host: '127.0.0.1', path, method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part) => {
        text += part;
      });
      response.on('end', () => resolve([response.statusCode ?? 0, text]));
    });
    sent.on('error', reject);
    sent.end(method === 'POST' ? body : undefined);
  });
}

describe('a request is refused without a call', () => {
  const body = JSON.stringify(asked('getBalance', [ACCOUNT]));
  const own = { ...JSON_HEADERS, Host: 'localhost' };

  it.each<[string, number, Record<string, string>, Parameters<typeof statusOf>[1]]>([
    ['by the name of another host', 403, { ...own, Host: 'evil.example' }, {}],
    ['by a name that begins like ours', 403, { ...own, Host: 'localhost.evil.example' }, {}],
    ['of a web page', 403, { ...own, Origin: 'https://evil.example' }, {}],
    ['of a page without an origin', 403, { ...own, Origin: 'null' }, {}],
    ['of a page of this machine that is not allowed', 403, { ...own, Origin: 'http://localhost:3001' }, {}],
    ['to another path', 404, own, { path: '/' }],
    ['to a longer path', 404, own, { path: `${PATH}/x` }],
    ['that is a GET', 405, own, { method: 'GET' }],
    ['of another type', 415, { ...own, 'Content-Type': 'text/plain' }, {}],
    ['that is too long', 413, own, { body: ' '.repeat(1_048_577) }],
  ])('%s', async (_, status, headers, options) => {
    const lines = gateway.logLines.length;
    const [answered, sentence] = await statusOf(headers, { body, ...options });
    expect([answered, gateway.logLines.length]).toEqual([status, lines]);
    expect(sentence).toMatch(/^[a-zJ].*\n$/);
  });

  it('but a page of an allowed origin is answered, and may read the answer', async () => {
    const headers = { ...JSON_HEADERS, Origin: PAGE };
    const preflight = await fetch(rpc.url, { method: 'OPTIONS', headers: { Origin: PAGE } });
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, PAGE]);
    const answer = await fetch(rpc.url, { method: 'POST', headers, body });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, PAGE]);
    expect(below(await answer.json(), 'result', 'value')).toBeDefined();
  });

  it('if it asks for a websocket, with a sentence', async () => {
    const socket = connect(rpc.port, '127.0.0.1');
    const head = ['Host: localhost', 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'];
    socket.write(`GET ${PATH} HTTP/1.1\r\n${head.join('\r\n')}\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`);
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1\.1 501 .*websockets are not served/s);
    socket.destroy();
  });
});

describe('of many calls', () => {
  it('sixteen are under way at once, also after some have failed', async () => {
    const { client } = await openCustomer(gateway);
    let [underWay, most] = [0, 0];
    const fallback = async (body: string): Promise<string> => {
      underWay++;
      most = Math.max(most, underWay);
      await setImmediate();
      underWay--;
      if (body.includes('getFailing')) throw new Error('failed');
      return '{}';
    };
    const peers = { gateway: gateway.url, rpc: undefined };
    const answers = new Answers({ client, peers, unpaidHint: '', fallback });
    for (const method of ['getFailing', 'getVoteAccounts']) {
      most = 0;
      const text = await answers.to(JSON.stringify(Array.from({ length: 40 }, (_, id) => asked(method, [], id))));
      expect([underWay, most, JSON.parse(text).length]).toEqual([0, 16, 40]);
    }
  });

  it('each of a batch is answered', async () => {
    const many = Array.from({ length: 40 }, (_, id) => asked('getBalance', [ACCOUNT], id));
    const answers = (await answerTo(many)) as object[];
    expect(answers.map((each) => [below(each, 'id'), typeof below(each, 'result', 'value')])).toEqual(
      many.map(({ id }) => [id, 'number']),
    );
  });
});
