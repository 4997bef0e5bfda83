import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { stopAfterTests } from '../kit/stop-after-tests.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { expectRefusal } from './error-table.ts';
import { pathOf, rowOf } from './targets.ts';
import { readAnswers, type WireAnswer } from './wire.ts';

const DRIP_MS = 500;
const SLOW_CONNECTIONS = 100;
const SNAPSHOTS = pathOf(rowOf('tokens.marketSnapshots'));

const gateway = await stopAfterTests(startTestGateway());

interface Slow {
  readonly socket: Socket;
  /** What came back until the server ended its side. */
  readonly answer: Promise<WireAnswer | undefined>;
}

/** Writes some bytes, then one more every now and then, and never closes its own side. */
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

/** Whether the server lets go of a connection whose client keeps its own side open. */
async function isLetGo(socket: Socket): Promise<boolean> {
  for (let round = 0; round < 12 && !socket.destroyed; round++) await pause(DRIP_MS);
  const letGo = socket.destroyed;
  socket.destroy();
  return letGo;
}

const head = (lines: string) => `POST ${SNAPSHOTS} HTTP/1.1\r\nHost: 127.0.0.1:${gateway.port}\r\n${lines}`;

const cases: readonly (readonly [string, string])[] = [
  ['H1 headers that never end', 'X-Slow: '],
  ['H2 an announced body that never ends', 'Content-Length: 60000\r\n\r\n'],
  ['H2 a chunked body that never ends', 'Transfer-Encoding: chunked\r\n\r\n7fff\r\n'],
];

describe.concurrent('a client that takes its time', () => {
  it.each(cases)('%s: 408, closed, and others are served meanwhile', { timeout: 40_000 }, async (_, lines) => {
    const slow = Array.from({ length: SLOW_CONNECTIONS }, () => dripping(head(lines)));
    expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200);
    for (const { answer } of slow) {
      expectRefusal(await answer, '408 request_timeout');
      expect((await answer)?.headers.connection).toBe('close');
    }
    expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200);
    expect(await Promise.all(slow.map(({ socket }) => isLetGo(socket)))).toEqual(slow.map(() => true));
    expect(gateway.upstream.arrivals).toEqual([]);
  });

  it('H4 a client that never closes after a 400 is let go', { timeout: 40_000 }, async () => {
    const { socket, answer } = dripping('\0\r\n\r\n');
    expectRefusal(await answer, '400 bad_request');
    expect(await isLetGo(socket)).toBe(true);
  });

  it('H5 a client that never stops sending after a 413 is let go', { timeout: 40_000 }, async () => {
    const { socket, answer } = dripping(head('Content-Length: 70000\r\n\r\n'));
    expectRefusal(await answer, '413 body_too_large');
    expect(await isLetGo(socket)).toBe(true);
  });
});
