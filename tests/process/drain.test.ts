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

function open(house: TestGateway, bytes: string): Connection {
  const socket = connect(house.port, '127.0.0.1', () => socket.write(bytes));
  let raw = '';
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => {
    raw += chunk.toString('latin1');
  });
  return { socket, received: () => raw, closed: new Promise((resolve) => socket.once('close', () => resolve(raw))) };
}

describe.concurrent('H13 a drain', () => {
  it('refuses what is complete only after it with a 503 that says when to come again', async () => {
    const house = await startTestGateway({}, { isGraceful: true });
    house.upstream.faults.delayMs = 2_500;
    const slow = askSigned(house.url + HEALTH);
    await until(() => house.upstream.arrivals.length === 1);
    const lines = [`Host: 127.0.0.1:${house.port}`, 'Content-Length: 2'];
    const { socket, closed } = open(house, wireRequest('POST', HEALTH, lines, '{').bytes);
    await pause(100);
    const stopping = house.stop();
    await pause(1_500);
    socket.write('}');
    const [answer] = readAnswers(await closed, ['POST']);
    expectRefusal(answer, '503 shutting_down');
    expect(answer?.headers['retry-after']).toBe('1');
    expect(answer?.headers.connection).toBe('close');
    expect((await slow).status).toBe(200);
    expect(house.upstream.arrivals).toHaveLength(1);
    await stopping;
  });

  it('answers what comes over an open connection in its first moments, and closes it', async () => {
    const house = await startTestGateway({}, { isGraceful: true });
    const request = wireRequest('GET', '/healthz', [`Host: 127.0.0.1:${house.port}`]).bytes;
    const { socket, received, closed } = open(house, request);
    await until(() => received() !== '');
    const stopping = house.stop();
    await pause(200);
    socket.write(request);
    const answers = readAnswers(await closed, ['GET', 'GET']);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers[1]?.headers.connection).toBe('close');
    await stopping;
  });

  it('closes idle connections and ends', async () => {
    const house = await startTestGateway({}, { isGraceful: true });
    const { closed } = open(house, '');
    await pause(50);
    const stopping = house.stop();
    expect(await closed).toBe('');
    await stopping;
  });
});
