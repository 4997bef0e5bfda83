import { request } from 'node:http';
import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { statusOf, writeAndRead } from '../http/wire.ts';
import { stoppedAfterTests } from '../kit/stop-after-tests.ts';
import { startTestGateway } from '../kit/test-gateway.ts';

const elsewhere = Object.values(networkInterfaces())
  .flat()
  .find((each) => each?.family === 'IPv4' && !each.internal)?.address;

interface Told {
  readonly status: number;
  readonly text: string;
}

/** Asks with a Host of our own, which fetch would not send. */
const askAs = (host: string, url: URL): Promise<Told> =>
  new Promise((resolve, reject) => {
    const asked = request(url, { headers: { host } }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    asked.on('error', reject).end();
  });

const start = stoppedAfterTests(startTestGateway);
const metricsOf = async (variables: Record<string, string>): Promise<URL> =>
  new URL((await start({ METRICS_PORT: '0', ...variables })).gateway.metricsUrl ?? '');

const FOREIGN = [
  'rebound.example',
  'rebound.example:9464',
  'localhost.rebound.example',
  '127.0.0.1.rebound.example',
  '10.0.0.1',
  '[::2]',
  'localhost:',
];

const url = await metricsOf({});

describe('the metrics port on a loopback address', () => {
  it.each(FOREIGN)('W38 tells a request for the Host %j nothing, on any path', async (host) => {
    for (const path of ['/metrics', '/', '/console/icon.svg', '/sales', '/history']) {
      const { status, text } = await askAs(host, new URL(path, url));
      expect([path, status, text]).toEqual([path, 403, '']);
    }
  });

  it('W38 tells a request without a Host nothing', async () => {
    const raw = await writeAndRead(Number(url.port), 'GET /metrics HTTP/1.0\r\n\r\n');
    expect(statusOf(raw)).toBe(403);
    expect(raw).not.toContain('asset_gateway');
  });

  it.each(['localhost', 'LOCALHOST:1', '127.0.0.1', '127.0.0.2:9464', '[::1]:9464'])(
    'W38 answers the loopback name or address %s',
    async (host) => {
      const { status, text } = await askAs(host, url);
      expect([status, text.includes('asset_gateway_ready')]).toEqual([200, true]);
    },
  );

  it('W38 is also one that METRICS_HOST names by a name', async () => {
    const named = await metricsOf({ METRICS_HOST: 'localhost' });
    expect((await askAs('rebound.example', named)).status).toBe(403);
    expect((await askAs('localhost', named)).status).toBe(200);
  });
});

describe('the metrics port on another address', () => {
  it.runIf(elsewhere)('W38 answers scrapers by any name of its service, from near and far', async () => {
    const url = await metricsOf({ METRICS_HOST: '0.0.0.0' });
    for (const address of ['127.0.0.1', elsewhere ?? '']) {
      const near = new URL(`http://${address}:${url.port}/metrics`);
      for (const host of ['gateway:9464', 'gateway.monitoring.svc', address])
        expect([address, host, (await askAs(host, near)).status]).toEqual([address, host, 200]);
    }
  });
});
