import { Server as HttpServer, ServerResponse } from 'node:http';
import { connect, Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { isFull } from '../kit/rounds.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { askSigned, signedHeader } from '../kit/wallet.ts';
import { expectRefusal } from './error-table.ts';
import { pathOf, rowOf } from './targets.ts';
import { readAnswers, type WireAnswer } from './wire.ts';

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

interface Slow {
  readonly socket: Socket;
  /** What came back until the server ended its side. */
  readonly answer: Promise<WireAnswer | undefined>;
}

/** Writes these bytes, then one every 500 ms, and never closes its side. */
function dripping(first: string): Slow {
  const socket = connect({ port: gateway.port, host: '127.0.0.1', allowHalfOpen: true });
  const chunks: Buffer[] = [];
  socket.write(first);
  const timer = setInterval(() => socket.writable && socket.write('x'), DRIP_MS);
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.once('close', () => clearInterval(timer));
  const answer = new Promise<WireAnswer | undefined>((resolve) => {
    const done = () => resolve(readAnswers(Buffer.concat(chunks).toString('latin1'), ['POST'])[0]);
    socket.once('end', done).once('close', done);
  });
  return { socket, answer };
}

/** Waits until the server closes a connection that the client keeps open. */
const disconnected = (socket: Socket): Promise<void> =>
  new Promise((resolve) => (socket.destroyed ? resolve() : socket.once('close', () => resolve())));

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
    for (const { answer } of slow) {
      expectRefusal(await answer, '408 request_timeout');
      expect((await answer)?.headers.connection).toBe('close');
    }
    expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200);
    await Promise.all(slow.map(({ socket }) => disconnected(socket)));
    expect(gateway.upstream.arrivals).toEqual([]);
  });

  it('H4 a client that never closes after a 400 is disconnected', async () => {
    const { socket, answer } = dripping('\0\r\n\r\n');
    expectRefusal(await answer, '400 bad_request');
    await disconnected(socket);
  });

  it('H5 a client that keeps sending after a 413 is disconnected', async () => {
    const { socket, answer } = dripping(head('Content-Length: 70000\r\n\r\n'));
    expectRefusal(await answer, '413 body_too_large');
    await disconnected(socket);
  });

  it('H3 a client that does not read its answer is disconnected, and others are served meanwhile', async () => {
    const gateway = await startTestGateway();
    gateway.upstream.faults.body = JSON.stringify('x'.repeat(ANSWER_BYTES));
    const header = await signedHeader(gateway.url + HEALTH);
    const socket = connect(gateway.port, '127.0.0.1').pause();
    socket.write(`GET ${HEALTH} HTTP/1.1\r\nHost: 127.0.0.1:${gateway.port}\r\nSIGN-IN-WITH-X: ${header}\r\n\r\n`);
    await sleep(1_000);
    gateway.upstream.faults.reset();
    expect(gateway.upstream.arrivals).toHaveLength(1);
    expect((await askSigned(gateway.url + HEALTH)).status).toBe(200);
    await sleep(WRITE_TIMEOUT_MS + 1_000);
    let received = 0;
    socket.on('data', (chunk) => {
      received += chunk.length;
    });
    socket.on('error', () => undefined).resume();
    await disconnected(socket);
    expect(received).toBeGreaterThan(0);
    expect(received).toBeLessThan(ANSWER_BYTES);
    expect((await askSigned(gateway.url + HEALTH)).status).toBe(200);
  });
});
