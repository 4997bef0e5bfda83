import { routes } from '@asset-gateway/protocol';
import { describe, expect, it } from 'vitest';
import { CANARY_KEY, CANARY_SECRET, startTestGateway, type TestGateway } from '../kit/test-gateway.ts';
import { askSigned, signedHeader } from '../kit/wallet.ts';
import { expectInTable, expectRefusal, headerFaults } from './error-table.ts';
import { pathOf, rowOf } from './targets.ts';
import { askFor, seen, type WireAnswer } from './wire.ts';

const HEALTH = pathOf(rowOf('tokens.health'));
const SEVEN =
  'Content-Type, PAYMENT-SIGNATURE, X-PAYMENT, X-PAYMENT-RESPONSE, PAYMENT-RESPONSE, SIGN-IN-WITH-X, Authorization';
const ORIGIN = 'Origin: https://solana.example';

const gateway = await startTestGateway({ TOKENS_RATE_LIMIT_PER_MINUTE: '3' }, { paid: true });
const behindProxies = await startTestGateway({ TRUST_PROXY: '127.0.0.0/8, 10.0.0.0/8, 2001:db8:1::/48' });

const ask = ({ port }: TestGateway, target: string, ...lines: string[]): Promise<WireAnswer | undefined> =>
  askFor(port, 'GET', target, ...lines);

const askHealth = async (query = ''): Promise<WireAnswer> => seen(await askSigned(gateway.url + HEALTH + query));

describe('a preflight', () => {
  const preflight = (path: string, ...lines: string[]) => askFor(gateway.port, 'OPTIONS', path, ORIGIN, ...lines);

  // The recorded answers have the headers of every route's preflight.
  it.each(['tokens.health', 'rpc.mainnet.helius.getBalance'])(
    'C1 on %s allows the eighth header only on request',
    async (id) => {
      const asking = async (names: string) => {
        const answer = await preflight(pathOf(rowOf(id)), `Access-Control-Request-Headers: ${names}`);
        return answer?.headers['access-control-allow-headers'];
      };
      const own = 'access-control-expose-headers';
      for (const names of [own, 'Access-Control-Expose-Headers', `content-type,${own}`, `${own} , x-payment`])
        expect(await asking(names)).toBe(`${SEVEN}, Access-Control-Expose-Headers`);
      for (const names of ['content-type', `x-${own}`, `${own}-x`, '*']) expect(await asking(names)).toBe(SEVEN);
    },
  );

  it('C4 on an unknown path is a 404 with CORS headers', async () => {
    expectRefusal(await preflight('/v1/nothing'), '404 not_found');
  });

  it('C5 costs no slot, no nonce and no upstream call', async () => {
    const header = await signedHeader(gateway.url + HEALTH);
    for (const route of routes) expect((await preflight(pathOf(route), `SIGN-IN-WITH-X: ${header}`))?.status).toBe(204);
    expect(gateway.upstream.arrivals).toEqual([]);
    const answer = await fetch(gateway.url + HEALTH, { headers: { 'SIGN-IN-WITH-X': header } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('RateLimit')).toMatch(/^"upstream";r=2;/);
  });
});

describe('the headers of every answer', () => {
  it('C2 refusals and failures after a sign-in are private, and any origin may read them', async () => {
    const broken = await askHealth('?x=1');
    gateway.upstream.faults.status = 500;
    const failed = await askHealth();
    gateway.upstream.faults.reset();
    let limited = await askHealth();
    while (limited.status === 200) limited = await askHealth();
    const codes = ['400 invalid_request', '502 upstream_error', '429 rate_limited'];
    for (const [index, answer] of [broken, failed, limited].entries()) {
      expectRefusal(answer, codes[index] ?? '');
      expect(answer.headers['cache-control']).toBe('private, no-store');
    }
    expect(gateway.upstream.arrivals).toHaveLength(3);
  });

  it('C3 never allow credentials', async () => {
    const answer = await ask(gateway, HEALTH, 'Origin: null', 'Cookie: a=b');
    expect(answer?.headers['access-control-allow-credentials']).toBeUndefined();
    expect(answer?.headers['access-control-allow-origin']).toBe('*');
    expectInTable(answer);
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
  });
});
