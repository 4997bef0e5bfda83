import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { connectFrom, get } from '../http/bare-server.ts';
import { expectRefusal } from '../http/error-table.ts';
import { pathOf, rowOf } from '../http/targets.ts';
import { wireRequest } from '../http/wire.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { askSigned } from '../kit/wallet.ts';
import { until } from './program.ts';

const HEALTH = pathOf(rowOf('tokens.health'));

describe.concurrent('H13 a drain', () => {
  it('refuses a request that completes after it with 503 and Retry-After', async () => {
    const gateway = await startTestGateway({}, { isGraceful: true });
    gateway.upstream.faults.delayMs = 2_500;
    const slow = askSigned(gateway.url + HEALTH);
    await until(() => gateway.upstream.arrivals.length === 1);
    const lines = [`Host: 127.0.0.1:${gateway.port}`, 'Content-Length: 2'];
    const client = await connectFrom(gateway.port);
    client.socket.write(wireRequest('POST', HEALTH, lines, '{').bytes);
    await pause(100);
    const stopping = gateway.stop();
    await pause(1_500);
    client.socket.write('}');
    await until(client.isClosed);
    const [answer] = client.answers();
    expectRefusal(answer, '503 shutting_down');
    expect(answer?.headers['retry-after']).toBe('1');
    expect(answer?.headers.connection).toBe('close');
    expect((await slow).status).toBe(200);
    expect(gateway.upstream.arrivals).toHaveLength(1);
    await stopping;
  });

  it('answers requests on open connections in its first moments, and closes them', async () => {
    const gateway = await startTestGateway({}, { isGraceful: true });
    const client = await connectFrom(gateway.port);
    client.socket.write(get('/healthz'));
    await until(() => client.received() !== '');
    const stopping = gateway.stop();
    await pause(200);
    client.socket.write(get('/healthz'));
    await until(client.isClosed);
    const answers = client.answers();
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers[1]?.headers.connection).toBe('close');
    await stopping;
  });

  it('closes idle connections and ends', async () => {
    const gateway = await startTestGateway({}, { isGraceful: true });
    const client = await connectFrom(gateway.port);
    const stopping = gateway.stop();
    await until(client.isClosed);
    expect(client.received()).toBe('');
    await stopping;
  });
});
