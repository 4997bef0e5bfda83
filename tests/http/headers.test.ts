import { routes } from '@asset-gateway/protocol';
import { describe, expect, it } from 'vitest';
import { CANARY_KEY, CANARY_SECRET, startTestGateway, type TestGateway } from '../kit/test-gateway.ts';
import { askSigned, signedHeader } from '../kit/wallet.ts';
import { paidRoutes } from '../payments/calls.ts';
import { expectInTable, expectRefusal, headerFaults, statusAndCode } from './error-table.ts';
import { freePort } from './ports.ts';
import { gated, pathOf, rowOf } from './targets.ts';
import { askFor, askOne, readAnswers, seen, type WireAnswer, wireRequest, writeAndRead } from './wire.ts';

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
  it.each(['tokens.health', 'rpc.mainnet.helius.getBalance'])('C1 on %s allows an eighth on request', async (id) => {
    const asking = async (names: string) => {
      const answer = await preflight(pathOf(rowOf(id)), `Access-Control-Request-Headers: ${names}`);
      return answer?.headers['access-control-allow-headers'];
    };
    const own = 'access-control-expose-headers';
    for (const names of [own, 'Access-Control-Expose-Headers', `content-type,${own}`, `${own} , x-payment`])
      expect(await asking(names)).toBe(`${SEVEN}, Access-Control-Expose-Headers`);
    for (const names of ['content-type', `x-${own}`, `${own}-x`, '*']) expect(await asking(names)).toBe(SEVEN);
  });

  it('C1 from a public page to a private network is allowed on request', async () => {
    const asking = async (...lines: string[]) =>
      (await preflight(HEALTH, ...lines))?.headers['access-control-allow-private-network'];
    expect(await asking('Access-Control-Request-Private-Network: true')).toBe('true');
    expect(await asking()).toBeUndefined();
    expect(await asking('Access-Control-Request-Private-Network: yes')).toBeUndefined();
  });

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
      expect([answer?.headers.server, answer?.headers['x-powered-by']]).toEqual([undefined, undefined]);
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
    ['203.0.113.7:51234', '203.0.113.7'],
    ['203.0.113.7, 10.1.2.3:8080', '203.0.113.7'],
    ['203.0.113.7:1, 10.1.2.3:65535', '203.0.113.7'],
    ['[2001:db8:2::1]:443', '2001:db8:2::1'],
    ['[2001:db8:2::1]', '2001:db8:2::1'],
    ['203.0.113.7:1, [2001:db8:1::1]:4711', '203.0.113.7'],
    ['[::ffff:203.0.113.7]:80', '203.0.113.7'],
    ['203.0.113.7:', '127.0.0.1'],
    ['203.0.113.7:80:80', '127.0.0.1'],
    ['203.0.113.7:123456', '127.0.0.1'],
    [':80', '127.0.0.1'],
    ['[203.0.113.7]:80', '127.0.0.1'],
    ['[2001:db8:2::1', '127.0.0.1'],
    ['2001:db8:2::1]:443', '127.0.0.1'],
    ['[]:443', '127.0.0.1'],
    ['203.0.113.7, ', '127.0.0.1'],
    ['', '127.0.0.1'],
  ];

  it.each(forwarded)('behind trusted proxies, %j is %s', async (value, client) => {
    expect(await clientOf(behindProxies, `X-Forwarded-For: ${value}`)).toBe(client);
  });

  const standard: readonly (readonly [string, string])[] = [
    ['for=203.0.113.7', '203.0.113.7'],
    ['For="203.0.113.7:51234";proto=https;by=10.1.2.3', '203.0.113.7'],
    ['for=6.6.6.6, for="[2001:db8:2::1]:4711"', '2001:db8:2::1'],
    ['for=6.6.6.6,for=203.0.113.7;host=a , proto=http ; FOR=10.1.2.3', '203.0.113.7'],
    ['for="[2001:db8:2::1]:_secret"', '2001:db8:2::1'],
    ['for="6.6.6.6, for=203.0.113.7', '203.0.113.7'],
    ['for=6.6.6.6;for=203.0.113.7', '127.0.0.1'],
    ['for=203.0.113.7, for=unknown', '127.0.0.1'],
    ['for=203.0.113.7, for=_hidden', '127.0.0.1'],
    ['203.0.113.7', '127.0.0.1'],
    ['xfor=203.0.113.7', '127.0.0.1'],
    ['for=', '127.0.0.1'],
    ['for="', '127.0.0.1'],
  ];

  it.each(standard)('behind trusted proxies, Forwarded: %s is %s', async (value, client) => {
    expect(await clientOf(behindProxies, `Forwarded: ${value}`)).toBe(client);
  });

  it('behind trusted proxies, X-Forwarded-For is read in place of Forwarded, which most proxies pass on', async () => {
    const lines = ['Forwarded: for=6.6.6.6', 'X-Forwarded-For: 203.0.113.7'];
    expect(await clientOf(behindProxies, ...lines)).toBe('203.0.113.7');
    expect(await clientOf(behindProxies, lines[0] ?? '', 'X-Forwarded-For: nonsense')).toBe('127.0.0.1');
  });

  it('is missed once in the log if the nearest proxy writes no address', async () => {
    const place = await startTestGateway({ TRUST_PROXY: '127.0.0.0/8, 10.0.0.0/8' });
    const warnings = () => place.logLines.filter((line) => line.includes('TRUST_PROXY'));
    for (const hops of ['203.0.113.7', 'nonsense, 10.1.2.3:80']) await clientOf(place, `X-Forwarded-For: ${hops}`);
    await clientOf(place);
    expect(warnings()).toEqual([]);
    for (const _ of [1, 2]) await clientOf(place, 'X-Forwarded-For: 203.0.113.7, nonsense');
    expect(warnings()).toHaveLength(1);
    expect(warnings()[0]).not.toContain('nonsense');
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

const PUBLIC = ['/healthz', '/v1/catalog'];
const OWN_ORIGIN = 'https://gateway.example';

const local = await startTestGateway();
const port = await freePort();
const configured = { ...(await startTestGateway({ GATEWAY_BASE_URL: OWN_ORIGIN, PORT: String(port) })), port };

type Place = Pick<TestGateway, 'port'>;

const askBare = ({ port }: Place, target: string, ...lines: string[]): Promise<WireAnswer | undefined> =>
  askOne(port, wireRequest('GET', target, lines));

const originIn = (answer: WireAnswer | undefined): string =>
  new URL(JSON.parse(answer?.body ?? '{}').resource.url).origin;

/** Values of Host that name another origin. */
const foreign = (port: number): string[] => [
  ...['', 'evil.example', '127.0.0.1', 'localhost', `evil.example:${port}`, `localhost:${port + 1}`],
  ...[`localhost.:${port}`, `127.0.0.1:${port}@evil.example`, `evil.example@127.0.0.1:${port}`, `0.0.0.0:${port}`],
  ...[`::1:${port}`, `localhost:0${port}`, `localhost:${port}, evil.example`, `localhost:${port}/`],
];

const hopHeaders = [
  ...['X-Forwarded-Host: evil.example', 'X-Forwarded-Proto: https', 'Forwarded: host=evil.example;proto=https'],
  ...['X-Original-URL: http://evil.example/', 'Referer: http://evil.example/', 'Origin: https://evil.example'],
];

describe('H9 S20 Host without a configured origin', () => {
  it('is the origin of the challenge, if it is a loopback name', async () => {
    for (const name of ['localhost', 'LocalHost', '127.0.0.1', '[::1]']) {
      const answer = await askBare(local, HEALTH, `Host: ${name}:${local.port}`, ...hopHeaders);
      expectRefusal(answer, '402 sign_in_required');
      expect(originIn(answer)).toBe(`http://${name.toLowerCase()}:${local.port}`);
      expect(JSON.stringify(answer)).not.toContain('evil');
    }
  });

  it('binds a sign-in to the name that was dialled', async () => {
    const header = await signedHeader(`http://127.0.0.1:${local.port}${HEALTH}`);
    const send = (name: string) =>
      fetch(`http://${name}:${local.port}${HEALTH}`, { headers: { 'SIGN-IN-WITH-X': header } });
    expect([(await send('localhost')).status, (await send('127.0.0.1')).status]).toEqual([402, 200]);
  });

  it('is refused on every gated row if it is another name', async () => {
    for (const route of gated) {
      const request = wireRequest(route.httpMethod, pathOf(route), ['Host: evil.example']);
      expectRefusal(await askOne(local.port, request), '400 bad_request');
    }
    for (const host of foreign(local.port)) {
      expectRefusal(await askBare(local, HEALTH, `Host: ${host}`), '400 bad_request');
    }
    expect(local.upstream.arrivals).toHaveLength(1);
  });

  it('is refused on every paid row if it is another name, with and without a payment', async () => {
    for (const route of paidRoutes) {
      for (const lines of [[], ['PAYMENT-SIGNATURE: e30='], ['X-PAYMENT: e30=']]) {
        const request = wireRequest(route.httpMethod, pathOf(route), ['Host: evil.example', ...lines]);
        expectRefusal(await askOne(gateway.port, request), '400 bad_request');
      }
    }
    expect(gateway.solana.provider.arrivals).toEqual([]);
    expect(gateway.logLines.join('')).not.toContain('"failure"');
  });

  it('does not matter for /healthz and the catalog', async () => {
    for (const target of PUBLIC) {
      for (const host of foreign(local.port)) expect((await askBare(local, target, `Host: ${host}`))?.status).toBe(200);
    }
  });
});

describe('H9 S20 Host with a configured origin', () => {
  it('is ignored: the challenge names the configured origin', async () => {
    for (const host of [...foreign(configured.port), `localhost:${configured.port}`]) {
      const answer = await askBare(configured, HEALTH, `Host: ${host}`, ...hopHeaders);
      expectRefusal(answer, '402 sign_in_required');
      expect(originIn(answer)).toBe(OWN_ORIGIN);
      expect(answer?.headers['www-authenticate']).toContain(`realm="${OWN_ORIGIN}"`);
      expect(JSON.stringify(answer)).not.toContain('evil');
    }
    expect(configured.upstream.arrivals).toEqual([]);
  });
});

describe('H9 the number of Host lines', () => {
  const nodes = [local, configured];

  it('two are a 400 on every path, even if equal', async () => {
    for (const gateway of nodes) {
      const own = `Host: localhost:${gateway.port}`;
      for (const target of [...PUBLIC, HEALTH, '/nothing']) {
        for (const second of [own, 'Host: evil.example', 'host:', 'HOST: localhost']) {
          expectRefusal(await askBare(gateway, target, own, second), '400 bad_request');
          expectRefusal(await askBare(gateway, target, second, own), '400 bad_request');
        }
      }
    }
  });

  it('a second one after a thousand other lines counts too', async () => {
    const lines = [`Host: localhost:${local.port}`, ...Array(1_200).fill('a: b'), 'Host: evil.example'];
    expectRefusal(await askBare(local, '/healthz', ...lines), '400 bad_request');
  });

  it('none is a 400', async () => {
    for (const gateway of nodes) {
      for (const target of [...PUBLIC, HEALTH]) {
        const answer = await askBare(gateway, target);
        expect(answer?.status).toBe(400);
        expectInTable(answer);
      }
    }
  });

  it('HTTP/1.0 needs none, and is closed after the answer', async () => {
    const askOld = async (target: string, host = '') => {
      const raw = await writeAndRead(local.port, `GET ${target} HTTP/1.0\r\n${host}\r\n`);
      return readAnswers(raw, ['GET'])[0];
    };
    for (const host of ['', `Host: localhost:${local.port}\r\n`])
      expect(await askOld('/healthz', host)).toMatchObject({ status: 200, headers: { connection: 'close' } });
    expect(statusAndCode(await askOld(HEALTH))).toBe('400 bad_request');
    expect(local.upstream.arrivals).toHaveLength(1);
  });
});
