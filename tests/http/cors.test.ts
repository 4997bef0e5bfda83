import { routes } from '@asset-gateway/protocol';
import { describe, expect, it } from 'vitest';
import { stopAfterTests } from '../kit/stop-after-tests.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { askSigned, signedHeader } from '../kit/wallet.ts';
import { EXPOSED_TO_PREFLIGHT, expectInTable, expectRefusal } from './error-table.ts';
import { pathOf, posts, rowOf, targetOf } from './targets.ts';
import { askFor, seen, type WireAnswer } from './wire.ts';

const SEVEN =
  'Content-Type, PAYMENT-SIGNATURE, X-PAYMENT, X-PAYMENT-RESPONSE, PAYMENT-RESPONSE, SIGN-IN-WITH-X, Authorization';
const ORIGIN = 'Origin: https://solana.example';

const gateway = await stopAfterTests(startTestGateway({ TOKENS_RATE_LIMIT_PER_MINUTE: '3' }, { paid: true }));

const ask = (verb: string, target: string, ...lines: string[]): Promise<WireAnswer | undefined> =>
  askFor(gateway.port, verb, target, ...lines);

const rows = routes.map((route) => [route.id, route] as const);
const healthUrl = () => gateway.url + pathOf(rowOf('tokens.health'));

describe('C1 a preflight', () => {
  it.each(rows)('on %s has exactly the headers of the specification', async (_, route) => {
    const answer = await ask('OPTIONS', pathOf(route), ORIGIN, `Access-Control-Request-Method: ${route.httpMethod}`);
    expect(answer?.status).toBe(204);
    expect(answer?.body).toBe('');
    expect(answer?.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': `${route.httpMethod}, OPTIONS`,
      'access-control-allow-headers': SEVEN,
      'access-control-expose-headers': EXPOSED_TO_PREFLIGHT.join(', '),
    });
    expect(answer?.headers['content-length']).toBeUndefined();
    expectInTable(answer);
  });

  it.each(rows.filter(([id]) => ['tokens.health', 'rpc.mainnet.helius.getBalance'].includes(id)))(
    'on %s allows the eighth header only on request',
    async (_, route) => {
      const asking = async (names: string) => {
        const answer = await ask('OPTIONS', pathOf(route), ORIGIN, `Access-Control-Request-Headers: ${names}`);
        return answer?.headers['access-control-allow-headers'];
      };
      const own = 'access-control-expose-headers';
      for (const names of [own, 'Access-Control-Expose-Headers', `content-type,${own}`, `${own} , x-payment`])
        expect(await asking(names)).toBe(`${SEVEN}, Access-Control-Expose-Headers`);
      for (const names of ['content-type', `x-${own}`, `${own}-x`, '*']) expect(await asking(names)).toBe(SEVEN);
    },
  );

  it('C4 on an unknown path is a 404 with CORS headers', async () => {
    expectRefusal(await ask('OPTIONS', '/v1/nothing', ORIGIN), '404 not_found');
  });

  it('C5 costs no slot, no nonce and no upstream call', async () => {
    const header = await signedHeader(healthUrl());
    for (const route of routes)
      expect((await ask('OPTIONS', pathOf(route), ORIGIN, `SIGN-IN-WITH-X: ${header}`))?.status).toBe(204);
    expect(gateway.upstream.arrivals).toEqual([]);
    const answer = await fetch(healthUrl(), { headers: { 'SIGN-IN-WITH-X': header } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('RateLimit')).toMatch(/^"upstream";r=2;/);
  });
});

/** Refusals that no other suite compares with the table of errors, which has these headers. */
const PROVOKED: readonly (readonly [string, () => Promise<WireAnswer | undefined>])[] = [
  ['400 invalid_request', () => askSigned(`${healthUrl()}?x=1`).then(seen)],
  [
    '415 unsupported_media_type',
    () => askSigned(gateway.url + targetOf(posts[0] as never), { method: 'POST', body: 'x' }).then(seen),
  ],
];

describe('C2 every other answer', () => {
  it.each(PROVOKED)('%s has the origin and all exposed headers', async (expected, provoke) => {
    expectRefusal(await provoke(), expected);
  });

  it('502 and 429 have them too', async () => {
    const first = gateway.upstream.arrivals.length;
    gateway.upstream.faults.status = 500;
    expectRefusal(await seen(await askSigned(healthUrl())), '502 upstream_error');
    gateway.upstream.faults.reset();
    let answer = await seen(await askSigned(healthUrl()));
    while (answer.status === 200) answer = await seen(await askSigned(healthUrl()));
    expectRefusal(answer, '429 rate_limited');
    expect(gateway.upstream.arrivals.length - first).toBeLessThanOrEqual(3);
  });

  it('C3 never allows credentials', async () => {
    const answer = await ask('GET', pathOf(rowOf('tokens.health')), 'Origin: null', 'Cookie: a=b');
    expect(answer?.headers['access-control-allow-credentials']).toBeUndefined();
    expect(answer?.headers['access-control-allow-origin']).toBe('*');
    expectInTable(answer);
  });
});
