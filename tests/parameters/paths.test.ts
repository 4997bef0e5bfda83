import { describe, expect, it } from 'vitest';
import { stopAfterTests } from '../kit/stop-after-tests.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { Caller, refusedForFree, TOKENS } from '../upstream/caller.ts';
import { send } from '../upstream/exchange.ts';
import { requestOf, signedRoutes } from './requests.ts';

const gateway = await stopAfterTests(startTestGateway());

const MINT = 'So11111111111111111111111111111111111111112';

/** Where each asset-data route of specification 4.2 ends, and the envelope's `method` of it. */
const ENDS: readonly (readonly [string, string, string])[] = [
  ['health', '/health', '/v1/health'],
  ['search', '/assets/search?q=sol', '/v1/assets/search?q=sol'],
  ['resolve', '/assets/resolve?ref=sol', '/v1/assets/resolve?ref=sol'],
  ['curated', '/assets/curated?list=majors', '/v1/assets/curated?list=majors'],
  ['variantMarkets', `/assets/variant-markets?mints=${MINT}`, `/v1/assets/variant-markets?mints=${MINT}`],
  ['riskSummaryByMint', `/assets/risk-summary?mint=${MINT}`, `/v1/assets/risk-summary?mint=${MINT}`],
  ['assetDetail', '/assets/solana', '/v1/assets/solana'],
  ['variants', '/assets/solana/variants', '/v1/assets/solana/variants'],
  ['variantTopMarkets', '/assets/solana/variant-top-markets', '/v1/assets/solana/variant-top-markets'],
  ['variantMarket', '/assets/solana/variant-market', '/v1/assets/solana/variant-market'],
  ['markets', '/assets/solana/markets', '/v1/assets/solana/markets'],
  ['ohlcv', '/assets/solana/ohlcv', '/v1/assets/solana/ohlcv'],
  ['priceChart', '/assets/solana/price-chart', '/v1/assets/solana/price-chart'],
  ['profile', '/assets/solana/profile', '/v1/assets/solana/profile'],
  ['tickers', '/assets/solana/tickers', '/v1/assets/solana/tickers'],
  ['riskSummary', '/assets/solana/risk-summary', '/v1/assets/solana/risk-summary'],
  ['riskDetails', '/assets/solana/risk-details', '/v1/assets/solana/risk-details'],
  ['description', '/assets/solana/description', '/v1/assets/solana/description'],
];

const lastTarget = (): string | undefined => gateway.upstream.arrivals.at(-1)?.target;

describe('every route reaches its own place at the upstream', () => {
  it.each(ENDS)('%s', async (method, path, target) => {
    const answer = await new Caller(gateway).ask({ target: TOKENS + path });
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.json)).toEqual(['ok', 'provider', 'surface', 'method', 'result']);
    expect(answer.json).toMatchObject({ ok: true, provider: 'tokens', surface: 'tokens', method });
    expect(lastTarget()).toBe(target);
    expect(gateway.upstream.arrivals.at(-1)).toMatchObject({ method: 'GET', body: '' });
  });

  it('and these, with market-snapshots, are all that there are', () => {
    expect(signedRoutes.map(({ method }) => method).sort()).toEqual(
      [...ENDS.map(([method]) => method), 'marketSnapshots'].sort(),
    );
  });

  it.each(signedRoutes.map((route) => [route.id, route] as const))('%s answers its own example', async (_, route) => {
    const answer = await new Caller(gateway).ask(requestOf(route));
    expect(answer.json).toMatchObject({ ok: true, method: route.method });
  });

  it('with an asset id in every form that one may have', async () => {
    for (const id of ['solana', `solana-${MINT}`, 'A', '0', 'a.b_c-D9', '7.-_', 'a..b', 'x'.repeat(128), '%73olana']) {
      await new Caller(gateway).ask({ target: `${TOKENS}/assets/${id}/profile` });
      expect(lastTarget()).toBe(`/v1/assets/${decodeURIComponent(id)}/profile`);
    }
  });
});

describe('fixed segments win over :assetId', () => {
  const FIXED = ['search', 'resolve', 'curated', 'variant-markets', 'risk-summary'];

  it('for the verb that they take', async () => {
    const asks = FIXED.map((segment) => ({ target: `${TOKENS}/assets/${segment}` }));
    await refusedForFree(gateway, asks, ({ status, json }, { target }) => {
      expect(status, target).toBe(400);
      expect(json.error).toBe('invalid_request');
    });
  });

  it('in another spelling of the same path', async () => {
    const spelled = ['%73earch', 's%65arch', '%63urated', 'risk%2Dsummary'].map((name) => `${TOKENS}/assets/${name}`);
    await refusedForFree(
      gateway,
      spelled.map((target) => ({ target })),
      ({ status }, { target }) => expect(status, target).toBe(400),
    );
  });

  const WRONG_VERBS: readonly (readonly [string, string, string])[] = [
    ['GET', 'market-snapshots', 'POST, OPTIONS'],
    ['HEAD', 'market-snapshots', 'POST, OPTIONS'],
    ['GET', 'market%2Dsnapshots', 'POST, OPTIONS'],
    ...[...FIXED, 'solana', 'solana/profile'].map((segment): [string, string, string] => [
      'POST',
      segment,
      'GET, HEAD, OPTIONS',
    ]),
    ...['PUT', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND'].map((verb): [string, string, string] => [
      verb,
      'solana',
      'GET, HEAD, OPTIONS',
    ]),
  ];
  it.each(WRONG_VERBS)('%s assets/%s is 405, signed or not, and reaches nobody', async (method, segment, allow) => {
    const ask = { method, target: `${TOKENS}/assets/${segment}` };
    const check = (answer: Awaited<ReturnType<typeof send>>) => {
      expect(answer.status).toBe(405);
      expect(answer.headers.get('allow')).toBe(allow);
    };
    check(await send(gateway, ask));
    await refusedForFree(gateway, [ask], check);
  });
});
