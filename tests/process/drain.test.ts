import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { expectRefusal } from '../http/error-table.ts';
import { pathOf, rowOf } from '../http/targets.ts';
import { readAnswers, wireRequest } from '../http/wire.ts';
import { startTestGateway, type TestGateway } from '../kit/test-gateway.ts';
import { askSigned } from '../kit/wallet.ts';
import { until } from './program.ts';

const HEALTH = pathOf(rowOf('tokens.health'));

interface Connection {
  readonly socket: Socket;
  /** What has come back so far. */
  readonly received: () => string;
  /** Everything that came back, once it is closed. */
  readonly closed: Promise<string>;
}

function open(gateway: TestGateway, bytes: string): Connection {
  const socket = connect(gateway.port, '127.0.0.1', () => socket.write(bytes));
  let raw = '';
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => {
    raw += chunk.toString('latin1');
  });
  return { socket, received: () => raw, closed: new Promise((resolve) => socket.once('close', () => resolve(raw))) };
}

describe.concurrent('H13 a drain', () => {
  it('refuses a request that completes after it with 503 and Retry-After', async () => {
    const gateway = await startTestGateway({}, { isGraceful: true });
    gateway.upstream.faults.delayMs = 2_500;
    const slow = askSigned(gateway.url + HEALTH);
    await until(() => gateway.upstream.arrivals.length === 1);
    const lines = [`Host: 127.0.0.1:${gateway.port}`, 'Content-Length: 2'];
    const { socket, closed } = open(gateway, wireRequest('POST', HEALTH, lines, '{').bytes);
    await pause(100);
    const stopping = gateway.stop();
    await pause(1_500);
    socket.write('}');
    const [answer] = readAnswers(await closed, ['POST']);
    expectRefusal(answer, '503 shutting_down');
    expect(answer?.headers['retry-after']).toBe('1');
    expect(answer?.headers.connection).toBe('close');
    expect((await slow).status).toBe(200);
    expect(gateway.upstream.arrivals).toHaveLength(1);
    await stopping;
  });

  it('answers requests on open connections in its first moments, and closes them', async () => {
    const gateway = await startTestGateway({}, { isGraceful: true });
    const request = wireRequest('GET', '/healthz', [`Host: 127.0.0.1:${gateway.port}`]).bytes;
    const { socket, received, closed } = open(gateway, request);
    await until(() => received() !== '');
    const stopping = gateway.stop();
    await pause(200);
    socket.write(request);
    const answers = readAnswers(await closed, ['GET', 'GET']);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers[1]?.headers.connection).toBe('close');
    await stopping;
  });

  it('closes idle connections and ends', async () => {
    const gateway = await startTestGateway({}, { isGraceful: true });
    const { closed } = open(gateway, '');
    await pause(50);
    const stopping = gateway.stop();
    expect(await closed).toBe('');
    await stopping;
  });
});
