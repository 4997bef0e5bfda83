import { describe, expect, it } from 'vitest';
import { stopAfterTests } from '../kit/stop-after-tests.ts';
import { CANARY_KEY, CANARY_SECRET, startTestGateway, type TestGateway } from '../kit/test-gateway.ts';
import { askSigned } from '../kit/wallet.ts';
import { expectInTable, headerFaults } from './error-table.ts';
import { pathOf, rowOf } from './targets.ts';
import { askFor, seen, type WireAnswer } from './wire.ts';

const HEALTH = pathOf(rowOf('tokens.health'));

const gateway = await stopAfterTests(startTestGateway());
const behindProxies = await stopAfterTests(
  startTestGateway({ TRUST_PROXY: '127.0.0.0/8, 10.0.0.0/8, 2001:db8:1::/48' }),
);

const ask = ({ port }: TestGateway, target: string, ...lines: string[]): Promise<WireAnswer | undefined> =>
  askFor(port, 'GET', target, ...lines);

describe('the headers of every answer', () => {
  it('refusals and failures after a sign-in are private', async () => {
    const broken = await seen(await askSigned(`${gateway.url}${HEALTH}?x=1`));
    gateway.upstream.faults.status = 500;
    const failed = await seen(await askSigned(gateway.url + HEALTH));
    gateway.upstream.faults.reset();
    expect([broken.status, failed.status]).toEqual([400, 502]);
    for (const answer of [broken, failed]) {
      expect(answer.headers['cache-control']).toBe('private, no-store');
      expectInTable(answer);
    }
  });

  it('name no software and no secret', async () => {
    for (const target of ['/healthz', '/v1/catalog', '/nothing', HEALTH]) {
      const answer = await ask(gateway, target);
      expect(answer?.headers.server).toBeUndefined();
      expect(answer?.headers['x-powered-by']).toBeUndefined();
      expect(JSON.stringify(answer)).not.toMatch(new RegExp(`${CANARY_KEY}|${CANARY_SECRET}`));
    }
  });
});

describe('X-Request-Id', () => {
  const good = ['a', '0', 'A.b_c-9', '-', '..', 'x'.repeat(64)];
  const bad = ['', 'x'.repeat(65), 'a b', 'a,b', 'a/b', '"a"', 'a;b', '\xe9', '{"a":1}', '<b>', '%0d', 'a\tb'];

  it.each(good)('%s is kept in the answer and in the log', async (id) => {
    const answer = await ask(gateway, '/healthz', `X-Request-Id: ${id}`);
    expect(answer?.headers['x-request-id']).toBe(id);
    expect(gateway.logLines.some((line) => JSON.parse(line).requestId === id)).toBe(true);
  });

  it.each(bad)('%j is replaced', async (id) => {
    const answer = await ask(gateway, '/healthz', `X-Request-Id: ${id}`);
    expect(answer?.headers['x-request-id']).toMatch(/^[A-Za-z0-9._-]{16,64}$/);
    expect(headerFaults(answer as WireAnswer)).toEqual([]);
    if (id !== '') expect(gateway.logLines.some((line) => JSON.parse(line).requestId === id)).toBe(false);
  });

  it('is replaced if sent twice, and generated ones are unique', async () => {
    const twice = await ask(gateway, '/healthz', 'X-Request-Id: one', 'X-Request-Id: two');
    expect(twice?.headers['x-request-id']).not.toMatch(/one|two/);
    const fresh = await Promise.all(Array.from({ length: 50 }, () => ask(gateway, '/healthz')));
    expect(new Set(fresh.map((answer) => answer?.headers['x-request-id'])).size).toBe(50);
  });
});

/** The client in the log line of a request with these headers. */
async function clientOf(place: TestGateway, ...lines: string[]): Promise<unknown> {
  const id = `client-${place.logLines.length}`;
  await ask(place, '/healthz', `X-Request-Id: ${id}`, ...lines);
  const line = place.logLines.find((text) => JSON.parse(text).requestId === id);
  return line && JSON.parse(line).client;
}

describe('H18 the client in the log', () => {
  const forwarded: readonly (readonly [string, string])[] = [
    ['203.0.113.7', '203.0.113.7'],
    ['6.6.6.6, 203.0.113.7', '203.0.113.7'],
    ['6.6.6.6, 203.0.113.7, 10.1.2.3', '203.0.113.7'],
    ['10.9.9.9, 10.1.2.3', '10.9.9.9'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:2::1, 2001:db8:1::1', '2001:db8:2::1'],
    ['203.0.113.7, nonsense', '127.0.0.1'],
    ['203.0.113.7, 10.1.2.3:8080', '127.0.0.1'],
    ['203.0.113.7, ', '127.0.0.1'],
    ['', '127.0.0.1'],
  ];

  it.each(forwarded)('behind trusted proxies, %j is %s', async (value, client) => {
    expect(await clientOf(behindProxies, `X-Forwarded-For: ${value}`)).toBe(client);
  });

  it('behind trusted proxies, two lines read as one list', async () => {
    const lines = ['X-Forwarded-For: 6.6.6.6', 'X-Forwarded-For: 203.0.113.7'];
    expect(await clientOf(behindProxies, ...lines)).toBe('203.0.113.7');
  });

  it('is the peer if no proxy is trusted', async () => {
    for (const name of ['X-Forwarded-For', 'Forwarded', 'X-Real-IP', 'True-Client-IP', 'CF-Connecting-IP']) {
      expect(await clientOf(gateway, `${name}: 203.0.113.7`)).toBe('127.0.0.1');
      expect(await clientOf(behindProxies, `${name}: not an address`)).toBe('127.0.0.1');
    }
  });

  it('is the peer when another proxy is trusted', async () => {
    const elsewhere = await startTestGateway({ TRUST_PROXY: '10.0.0.0/8' });
    expect(await clientOf(elsewhere, 'X-Forwarded-For: 203.0.113.7')).toBe('127.0.0.1');
    await elsewhere.stop();
  });
});
