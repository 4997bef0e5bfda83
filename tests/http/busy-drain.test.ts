import { once } from 'node:events';
import { BlockList, connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { HttpServer } from '../../packages/gateway/src/http/server.ts';
import { until } from '../process/program.ts';
import { readAnswers, wireRequest } from './wire.ts';

const REQUEST = wireRequest('GET', '/', ['Host: 127.0.0.1']).bytes;
const GRACE_MS = 50;

async function listening(): Promise<readonly [HttpServer, number]> {
  const server = new HttpServer({
    handle: async ({ fault }) => ({ status: fault ? 503 : 200, headers: {}, body: '' }),
    trustedProxies: new BlockList(),
    maxConnections: 100,
    graceMs: GRACE_MS,
    onFailure: () => undefined,
  });
  return [server, await server.listen(0, '127.0.0.1')];
}

/** Collects what comes back. */
function collect(socket: Socket): () => string {
  let raw = '';
  socket
    .on('error', () => undefined)
    .on('data', (chunk) => {
      raw += chunk;
    });
  return () => raw;
}

/** Blocks the event loop. */
function beBusy(milliseconds: number): void {
  const untilMs = performance.now() + milliseconds;
  while (performance.now() < untilMs);
}

describe('H13 a drain while the process is busy', () => {
  it('answers a request that arrived on an open connection within the grace period', async () => {
    const [server, port] = await listening();
    const socket = connect(port, '127.0.0.1', () => socket.write(REQUEST));
    const received = collect(socket);
    await until(() => received() !== '');
    const drained = server.drain(5_000);
    await pause(GRACE_MS / 5);
    // What is due by the clock comes next after this, and what has come over connections only then.
    await new Promise<void>((resolve) => setImmediate(resolve));
    socket.write(REQUEST);
    beBusy(2 * GRACE_MS);
    await once(socket, 'close');
    expect(readAnswers(received(), ['GET', 'GET']).map(({ status }) => status)).toEqual([200, 200]);
    await drained;
  });

  it('accepts a connection made before it', async () => {
    const [server, port] = await listening();
    const socket = connect(port, '127.0.0.1', () => socket.write(REQUEST));
    const received = collect(socket);
    // Until the system has connected it, which this process has not noticed yet.
    await new Promise<void>((resolve) => process.nextTick(resolve));
    const drained = server.drain(5_000);
    await once(socket, 'close');
    expect(readAnswers(received(), ['GET']).map(({ status }) => status)).toEqual([200]);
    await drained;
  });
});
