import { once } from 'node:events';
import { connect } from 'node:net';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { PaymentRequired } from '@x402/core/types';
import { afterAll, describe, expect, it } from 'vitest';
import { startEverything } from '../discovery/everything.ts';
import { startProcess } from '../kit/process.ts';
import { ERAS, type EraOptions, inputOf, PROGRAM, rowOf, textOf } from './host.ts';
import { openX402Wallet } from './x402-wallet.ts';

const gateway = await startEverything();
const words = ['mcp', '--http', '0', '--tools=all'];
const server = await startProcess(PROGRAM, words, { ASSET_GATEWAY_URL: gateway.url });
afterAll(async () => expect(await server.end('SIGTERM')).toBe(0));

/** A connected host. */
async function open(options: EraOptions): Promise<Client> {
  const client = new Client({ name: 'test-host', version: '1.0.0' }, options);
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url)));
  return client;
}

describe.each(ERAS)('over HTTP, in the era of %s', (_, options) => {
  it('tools are listed and called: free ones answer, and paid ones ask the client for a payment', async () => {
    const transfers = gateway.solana.mainnet.transfers.length;
    const client = await open(options);
    const { tools } = await client.listTools();
    expect(tools).toHaveLength(38);
    for (const name of ['tokens_search', 'spending', 'rpc_getBalance', 'wallet_balances']) {
      const input = name === 'spending' ? {} : inputOf(rowOf(name));
      const answer = await client.callTool({ name, arguments: input });
      const isFree = ['tokens_search', 'spending'].includes(name);
      expect([name, answer.isError ?? false]).toEqual([name, !isFree]);
      if (isFree) continue;
      expect(answer.structuredContent).toMatchObject({ x402Version: 2, accepts: [{ scheme: 'exact' }] });
      const sentence = textOf({ content: answer.content.slice(1) });
      expect(sentence).toMatch(/no wallet\. Nothing was paid\. .*`asset-gateway-client wallet new`/);
    }
    expect(gateway.solana.mainnet.transfers.length).toBe(transfers);
    await client.close();
  });

  it('a client with a wallet pays for itself', async () => {
    const [client, wallet] = [await open(options), await openX402Wallet(gateway.solana.mainnet)];
    const call = { name: 'rpc_getBalance', arguments: inputOf(rowOf('rpc_getBalance')) };
    const { structuredContent } = await client.callTool(call);
    const payment = await wallet.pay(structuredContent as PaymentRequired);
    const answer = await client.callTool({ ...call, _meta: { 'x402/payment': payment } });
    expect([answer.isError ?? false, wallet.transfers()]).toEqual([false, 1]);
    expect(answer._meta).toMatchObject({ 'x402/payment-response': { success: true } });
    await client.close();
  });

  it('W26 stored answers are not listed to other connections, and are read by their id only', async () => {
    const [own, other] = [await open(options), await open(options)];
    const input = { assetId: 'solana', include: ['profile', 'risk', 'ohlcv', 'markets'], variantsMode: 'all' };
    const { structuredContent } = await own.callTool({ name: 'tokens_assetDetail', arguments: input });
    const { answer, whole } = (structuredContent as { cut: Record<'answer' | 'whole', string> }).cut;
    expect(answer).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    for (const client of [own, other]) expect((await client.listResources()).resources).toEqual([]);
    expect((await other.readResource({ uri: whole })).contents).toHaveLength(1);
    for (const name of ['', '1', '*', answer.slice(0, -1)]) {
      const read = await other.callTool({ name: 'read_on', arguments: { answer: name } });
      expect([name, read.isError]).toEqual([name, true]);
    }
    await own.close();
    await other.close();
  });
});

/** The status for this request line, these headers and this body; empty if the connection ended. */
async function statusOf(requestLine: string, headers: Readonly<Record<string, string>> = {}, body = '') {
  const { port, host } = new URL(server.url);
  const all = { Host: host, Connection: 'close', 'Content-Length': String(body.length), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const socket = connect(Number(port), '127.0.0.1');
  socket.write(`${requestLine} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
  const [response] = await Promise.race([once(socket, 'data'), once(socket, 'close')]).catch(() => []);
  socket.destroy();
  return String(response).split(' ', 2)[1] ?? '';
}

/** The status of a list of tools with these headers. */
const statusWith = (headers: Readonly<Record<string, string>>, path = '/mcp'): Promise<string> => {
  const types = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
  return statusOf(`POST ${path}`, { ...types, ...headers }, body);
};

it.each([
  ['GET //', '400', '403'],
  ['GET http://[', '400', '403'],
  ['POST //', '400', '403'],
  ['TRACE /mcp', '405', '403'],
  ['TRACE //', '405', '403'],
  ['PUT /mcp', '405', '403'],
  ['OPTIONS *', '405', '403'],
  ['CONNECT 127.0.0.1:1', '', ''],
])('W10 an invalid request is refused, and the server goes on: %s', async (requestLine, status, elsewhere) => {
  expect(await statusOf(requestLine)).toBe(status);
  expect(await statusOf(requestLine, { Host: 'evil.example' })).toBe(elsewhere);
  expect(await statusWith({})).toBe('200');
});

it('a browser page is refused by its Origin and its Host, and another path is not found', async () => {
  expect(await statusWith({ Origin: 'http://localhost:3000' })).toBe('200');
  const arrivals = gateway.logLines.length;
  for (const headers of [
    { Origin: 'https://evil.example' },
    { Origin: 'null' },
    { Origin: 'http://127.0.0.1.evil.example' },
    { Host: 'evil.example' },
    { Host: `evil.example:${new URL(server.url).port}` },
    { Host: 'localhost.evil.example', Origin: 'http://localhost' },
  ])
    expect([headers, await statusWith(headers)]).toEqual([headers, '403']);
  expect([await statusWith({}, '/'), gateway.logLines.length]).toEqual(['404', arrivals]);
});
