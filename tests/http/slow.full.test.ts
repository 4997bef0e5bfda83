import { Server as HttpServer, ServerResponse } from 'node:http';
import { Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { isFull } from '../kit/rounds.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { askSigned, signedHeader } from '../kit/wallet.ts';
import { expectRefusal } from './error-table.ts';
import { pathOf, rowOf } from './targets.ts';
import { type Client, openClient, requestTo } from './wire.ts';

const DRIP_MS = 500;
const SLOW_CONNECTIONS = isFull ? 100 : 20;
const SNAPSHOTS = pathOf(rowOf('tokens.marketSnapshots'));

/** Time passes this much faster for the limits of the gateway's server. */
const FASTER = 4;
const { listen } = Server.prototype;
const listening = vi.spyOn(Server.prototype, 'listen').mockImplementation(function (this: Server, ...parts: unknown[]) {
  if (this instanceof HttpServer && this.headersTimeout === 10_000 && this.requestTimeout === 15_000)
    Object.assign(this, { headersTimeout: 10_000 / FASTER, requestTimeout: 15_000 / FASTER });
  return Reflect.apply(listen, this, parts) as Server;
});
const { setTimeout: setLimit } = ServerResponse.prototype;
vi.spyOn(ServerResponse.prototype, 'setTimeout').mockImplementation(function (this: ServerResponse, ms, callback) {
  return setLimit.call(this, ms / FASTER, callback);
});
afterAll(() => vi.restoreAllMocks());

const gateway = await startTestGateway();
listening.mockRestore();

/** Writes these bytes, then one every 500 ms, and never closes its side. */
function dripping(first: string): Client {
  const client = openClient(gateway.port, { allowHalfOpen: true });
  client.socket.write(first);
  const timer = setInterval(() => client.socket.writable && client.socket.write('x'), DRIP_MS);
  client.closed.then(() => clearInterval(timer));
  return client;
}

/** Expects a refusal of a slow request. */
async function expectEnded({ ended, answers }: Client, refusal: string): Promise<void> {
  await ended;
  const [answer] = answers();
  expectRefusal(answer, refusal);
  expect(answer?.headers.connection).toBe('close');
}

const head = (lines: string) => `POST ${SNAPSHOTS} HTTP/1.1\r\nHost: 127.0.0.1:${gateway.port}\r\n${lines}`;

const cases: readonly (readonly [string, string])[] = [
  ['H1 headers that never end', 'X-Slow: '],
  ['H2 an announced body that never ends', 'Content-Length: 60000\r\n\r\n'],
  ['H2 a chunked body that never ends', 'Transfer-Encoding: chunked\r\n\r\n7fff\r\n'],
];

const HEALTH = '/v1/x402/tokens/health';
/** Below the limit of an upstream answer, above the buffers of a connection. */
const ANSWER_BYTES = 5 * 1024 * 1024 - 1_000;
/** A stalled answer is cut within twice its limit. */
const WRITE_TIMEOUT_MS = 30_000 / FASTER;

describe.concurrent('a slow client', { timeout: 60_000 }, () => {
  it.each(cases)('%s: 408, closed, and others are served meanwhile', async (_, lines) => {
    const slow = Array.from({ length: SLOW_CONNECTIONS }, () => dripping(head(lines)));
    expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200);
    for (const client of slow) await expectEnded(client, '408 request_timeout');
    expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200);
    await Promise.all(slow.map(({ closed }) => closed));
    expect(gateway.upstream.arrivals).toEqual([]);
  });

  it('H4 a client that never closes after a 400 is disconnected', async () => {
    const client = dripping('\0\r\n\r\n');
    await expectEnded(client, '400 bad_request');
    await client.closed;
  });

  it('H5 a client that keeps sending after a 413 is disconnected', async () => {
    const client = dripping(head('Content-Length: 70000\r\n\r\n'));
    await expectEnded(client, '413 body_too_large');
    await client.closed;
  });

  it('H3 a client that does not read its answer is disconnected, and others are served meanwhile', async () => {
    const gateway = await startTestGateway();
    gateway.upstream.faults.body = JSON.stringify('x'.repeat(ANSWER_BYTES));
    const header = await signedHeader(gateway.url + HEALTH);
    const { socket, received, closed } = openClient(gateway.port);
    socket.pause().write(requestTo(gateway.port, 'GET', HEALTH, `SIGN-IN-WITH-X: ${header}`).bytes);
    await sleep(1_000);
    gateway.upstream.faults.reset();
    expect(gateway.upstream.arrivals).toHaveLength(1);
    expect((await askSigned(gateway.url + HEALTH)).status).toBe(200);
    await sleep(WRITE_TIMEOUT_MS + 1_000);
    socket.resume();
    await closed;
    expect(received().length).toBeGreaterThan(0);
    expect(received().length).toBeLessThan(ANSWER_BYTES);
    expect((await askSigned(gateway.url + HEALTH)).status).toBe(200);
  });
});
