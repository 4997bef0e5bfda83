import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '@asset-gateway/gateway';
import { afterAll, describe, expect, it } from 'vitest';
import { expectRefusal } from '../http/error-table.ts';
import { freePort } from '../http/ports.ts';
import { pathOf, rowOf } from '../http/targets.ts';
import { askOne, seen, wireRequest } from '../http/wire.ts';
import { makeFolder } from '../kit/folder.ts';
import { startTestGateway, type TestGateway, type TestGatewayOptions } from '../kit/test-gateway.ts';
import { askSigned, challengeFor, signedHeader } from '../kit/wallet.ts';

const HEALTH = pathOf(rowOf('tokens.health'));
const [OLD, NEW] = ['o'.repeat(32), 'n'.repeat(32)];

/** Starts a gateway that is stopped at the end, unless a test stops it before. */
async function start(variables: Environment = {}, options: TestGatewayOptions = {}): Promise<TestGateway> {
  const gateway = await startTestGateway(variables, options);
  let stopping: Promise<void> | undefined;
  const once = { ...gateway, stop: () => (stopping ??= gateway.stop()) };
  stops.push(once.stop);
  return once;
}

const stops: (() => Promise<void>)[] = [];
const folders = [makeFolder(), makeFolder()] as const;
afterAll(async () => {
  await Promise.all(stops.map((stop) => stop()));
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** On a connection of its own: one that is kept may still lead to a node that has stopped on the same port. */
const use = ({ port }: TestGateway, header: string) =>
  askOne(port, wireRequest('GET', HEALTH, [`Host: 127.0.0.1:${port}`, `SIGN-IN-WITH-X: ${header}`]));

/** A node on this port, with until-expiry nonces, so that only its secret decides which ones it knows. */
const node = (port: number, secret: string, dataDir?: string) =>
  start(
    { PORT: String(port), GATEWAY_SECRET: secret, SIWX_NONCE: 'until-expiry' },
    dataDir === undefined ? {} : { dataDir },
  );

describe.concurrent('a variable takes effect', () => {
  it('PORT and HOST: where it listens', async () => {
    const port = await freePort();
    const gateway = await start({ PORT: String(port), HOST: '127.0.0.3' });
    expect(gateway.url).toBe(`http://127.0.0.3:${port}`);
    expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200);
    await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow();
    expect((await challengeFor(gateway.url + HEALTH)).info.domain).toBe(`127.0.0.3:${port}`);
  });

  it('GATEWAY_BASE_URL: what clients sign for', async () => {
    const port = await freePort();
    await start({ PORT: String(port), GATEWAY_BASE_URL: 'https://gateway.example' });
    const { info } = await challengeFor(`http://127.0.0.1:${port}${HEALTH}`);
    expect([info.domain, info.uri]).toEqual(['gateway.example', `https://gateway.example${HEALTH}`]);
  });

  it('CONSOLE: whether there is a page at /', async () => {
    const html = { headers: { accept: 'text/html' } };
    expect((await fetch(`${(await start()).url}/`, html)).status).toBe(200);
    const without = await start({ CONSOLE: 'off' });
    for (const path of ['/', '/console/icon.svg'])
      expect(await (await fetch(`${without.url}${path}`, html)).json()).toMatchObject({ error: 'not_found' });
  });

  it('SERVICE_NAME: the name in the liveness body', async () => {
    const named = await start({ SERVICE_NAME: 'mine' });
    expect(await (await fetch(`${named.url}/healthz`)).json()).toEqual({
      ok: true,
      service: 'mine',
      status: 'healthy',
    });
    const unnamed = await start();
    expect(await (await fetch(`${unnamed.url}/healthz`)).json()).toMatchObject({ service: 'asset-gateway' });
  });

  it('TOKENS_API_BASE_URL and TOKENS_API_KEY: who is asked, and with which key', async () => {
    const first = await start();
    const second = await start({ TOKENS_API_BASE_URL: `${first.upstream.url}/prefix/`, TOKENS_API_KEY: 'another-key' });
    await askSigned(second.url + HEALTH);
    expect(second.upstream.arrivals).toEqual([]);
    expect(first.upstream.arrivals.map(({ target }) => target)).toEqual(['/prefix/v1/health']);
    expect(first.upstream.arrivals[0]?.headers['x-api-key']).toBe('another-key');
  });

  it('TOKENS_RATE_LIMIT_PER_MINUTE: how many calls there are', async () => {
    const gateway = await start({ TOKENS_RATE_LIMIT_PER_MINUTE: '2' });
    const statuses = [];
    for (let round = 0; round < 3; round++) statuses.push((await askSigned(gateway.url + HEALTH)).status);
    expect(statuses).toEqual([200, 200, 429]);
    expect((await askSigned(gateway.url + HEALTH)).headers.get('RateLimit-Policy')).toBe('"upstream";q=2;w=60');
    expect(gateway.upstream.arrivals).toHaveLength(2);
  });

  it('SIWX_NONCE: how often a signature serves', async () => {
    const once = await start();
    const often = await start({ SIWX_NONCE: 'until-expiry' });
    const onceHeader = await signedHeader(once.url + HEALTH);
    const oftenHeader = await signedHeader(often.url + HEALTH);
    expect([(await use(once, onceHeader))?.status, (await use(once, onceHeader))?.status]).toEqual([200, 402]);
    expect([(await use(often, oftenHeader))?.status, (await use(often, oftenHeader))?.status]).toEqual([200, 200]);
    expect([once.upstream.arrivals.length, often.upstream.arrivals.length]).toEqual([1, 2]);
  });

  it('GATEWAY_SECRET: which nonces are known; of a list the first signs and all verify', async () => {
    const port = await freePort();
    const old = await node(port, OLD);
    const header = await signedHeader(old.url + HEALTH);
    await old.stop();
    const rotated = await node(port, `${NEW},${OLD}`);
    expect((await use(rotated, header))?.status).toBe(200);
    const next = await signedHeader(rotated.url + HEALTH);
    await rotated.stop();
    const last = await node(port, NEW);
    expect((await use(last, next))?.status).toBe(200);
    expectRefusal(await use(last, header), '402 invalid_siwx_nonce');
    expect(last.upstream.arrivals).toHaveLength(1);
  });

  it('DATA_DIR: keeps the secret that was made once', async () => {
    const port = await freePort();
    const [kept, other] = folders;
    const first = await node(port, '', kept);
    expect(existsSync(`${kept}/gateway.db`)).toBe(true);
    const header = await signedHeader(first.url + HEALTH);
    await first.stop();
    const again = await node(port, '', kept);
    expect((await use(again, header))?.status).toBe(200);
    await again.stop();
    const elsewhere = await node(port, '', other);
    expectRefusal(await use(elsewhere, header), '402 invalid_siwx_nonce');
    expect(elsewhere.upstream.arrivals).toEqual([]);
  });

  it('UPSTREAM_TIMEOUT_MS: how long an upstream may take', async () => {
    const gateway = await start({ UPSTREAM_TIMEOUT_MS: '150' });
    gateway.upstream.faults.hang = true;
    expectRefusal(await seen(await askSigned(gateway.url + HEALTH)), '504 upstream_timeout');
    expect(gateway.upstream.arrivals).toHaveLength(1);
  });

  it('BLOCKED_FILE: who is not served', async () => {
    const BLOCKED_FILE = join(makeFolder(), 'blocked.txt');
    writeFileSync(BLOCKED_FILE, '127.0.0.1\n');
    const gateway = await start({ BLOCKED_FILE });
    expect((await fetch(gateway.url + HEALTH)).status).toBe(403);
  });

  it('FAIR_SHARES: whether one address may have the whole budget', async () => {
    const statusesWith = async (value: string) => {
      const gateway = await start({ FAIR_SHARES: value, TOKENS_RATE_LIMIT_PER_MINUTE: '5' });
      const answers: number[] = [];
      for (let count = 0; count < 6; count++) answers.push((await askSigned(gateway.url + HEALTH)).status);
      return answers;
    };
    expect(await statusesWith('off')).toEqual([200, 200, 200, 200, 200, 429]);
    expect(await statusesWith('on')).toEqual([200, 200, 200, 200, 429, 429]);
  });

  it('LOG_LEVEL: which lines there are', async () => {
    const linesAt = async (level: string) => {
      const gateway = await start({ LOG_LEVEL: level });
      await fetch(`${gateway.url}/healthz`);
      gateway.upstream.faults.status = 500;
      await askSigned(gateway.url + HEALTH);
      return gateway.logLines.map((line) => JSON.parse(line).status);
    };
    expect(await linesAt('info')).toEqual([200, 402, 502]);
    expect(await linesAt('warn')).toEqual([502]);
    expect(await linesAt('error')).toEqual([]);
    expect(await linesAt('silent')).toEqual([]);
  });

  it('LOG_FORMAT: for whom lines are written', async () => {
    const linesIn = async (format: string) => {
      const gateway = await start({ LOG_FORMAT: format });
      await fetch(`${gateway.url}/healthz`);
      return gateway.logLines;
    };
    for (const format of ['', 'json']) expect(JSON.parse((await linesIn(format))[0] ?? '').path).toBe('/healthz');
    expect(await linesIn('pretty')).toEqual([
      expect.stringMatching(/^\d\d:\d\d:\d\d {2}200 GET \/healthz {2}\S+ ms\n$/),
    ]);
  });

  it('METRICS_PORT and METRICS_HOST: where metrics are, and whether there are any', async () => {
    const port = await freePort();
    const kept = await start({ METRICS_PORT: String(port), METRICS_HOST: '127.0.0.3' });
    expect(kept.gateway.metricsUrl).toBe(`http://127.0.0.3:${port}/metrics`);
    expect((await fetch(`http://127.0.0.3:${port}/metrics`)).status).toBe(200);
    expect((await fetch(`${kept.url}/metrics`)).status).toBe(404);
    const local = await start({ METRICS_PORT: '0' });
    expect(local.gateway.metricsUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/);
    expect((await start({ METRICS_HOST: '127.0.0.1' })).gateway.metricsUrl).toBeUndefined();
  });

  it('METRICS_TOKEN: who is told what was sold', async () => {
    const statusWith = async (variables: Environment, authorization: string) => {
      const { gateway } = await start({ METRICS_PORT: '0', ...variables });
      const url = new URL('/sales', gateway.metricsUrl);
      return (await fetch(url, { headers: { authorization } })).status;
    };
    const guarded = { METRICS_TOKEN: 'a-token-for-sales' };
    expect(await statusWith({}, '')).toBe(200);
    expect(await statusWith(guarded, '')).toBe(401);
    expect(await statusWith(guarded, 'Bearer a-token-for-sales')).toBe(200);
  });

  it('TRUST_PROXY: who the client in the log is', async () => {
    const clientAt = async (proxies: string) => {
      const gateway = await start({ TRUST_PROXY: proxies });
      await fetch(`${gateway.url}/healthz`, { headers: { 'X-Forwarded-For': '203.0.113.7' } });
      return JSON.parse(gateway.logLines[0] ?? '{}').client;
    };
    expect(await clientAt('')).toBe('127.0.0.1');
    expect(await clientAt('127.0.0.1/32')).toBe('203.0.113.7');
  });
});
