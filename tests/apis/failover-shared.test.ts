import type { Environment } from '@asset-gateway/gateway';
import type { Route } from '@asset-gateway/protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import { readApisFile } from '../../packages/gateway/src/apis/file.ts';
import { balanceOf, buyCredit, spend, startCreditGateway } from '../credit/gateway.ts';
import { inSuite } from '../kit/in-suite.ts';
import { redisSuite, startRedis } from '../kit/redis.ts';
import { stopAfterTests, stoppedAfterTests } from '../kit/stop-after-tests.ts';
import { startTestGateway, WITHOUT_BREAKER } from '../kit/test-gateway.ts';
import { askSigned } from '../kit/wallet.ts';
import { openWallet } from '../payments/wallets.ts';
import { documentPath, startStubApi, writeDocument } from './apis.ts';

const PRICE_MICROS = 2_000;
const rows: Route[] = [];
const first = await stopAfterTests(startStubApi(() => rows));
const second = await stopAfterTests(startStubApi(() => rows));

function writeApis(operations: object): string {
  const weather = {
    title: 'Weather',
    openapi: documentPath('weather.yaml'),
    urls: [{ url: `${first.url}/weather` }, { url: `${second.url}/weather`, requestsPerMinute: 2 }],
    requestsPerMinute: 500,
    cache: { freshSeconds: 60, maxStaleSeconds: 60 },
    operations,
  };
  const file = writeDocument({ apis: { weather } });
  rows.push(...readApisFile(file).apis.flatMap((api) => api.rows));
  return file;
}

const FREE = writeApis({ getForecast: {} });
const PAID = writeApis({ getHistory: { access: 'exact', price: '0.002', idempotent: true } });

const start = stoppedAfterTests((variables: Environment) =>
  startTestGateway({ APIS_FILE: FREE, ...variables }, WITHOUT_BREAKER),
);
const forecast = ({ url }: { readonly url: string }, city: string) =>
  askSigned(`${url}/v1/x402/weather/forecast/${city}`);
const calls = () => [first.arrivals.length, second.arrivals.length];

beforeEach(() => {
  for (const api of [first, second]) {
    api.status = 200;
    api.arrivals.length = 0;
  }
});

describe('an API with two urls', () => {
  it('has one cached answer, whichever url gave it', async () => {
    const gateway = await start({ RESPONSE_CACHE: 'on' });
    first.status = 503;
    expect((await forecast(gateway, 'Rome')).status).toBe(200);
    expect(calls()).toEqual([1, 1]);
    first.status = 200;
    expect((await forecast(gateway, 'Rome')).status).toBe(200);
    second.status = 503;
    first.status = 503;
    expect((await forecast(gateway, 'Rome')).status).toBe(200);
    expect(calls()).toEqual([1, 1]);
    expect((await forecast(gateway, 'Milan')).status).toBe(502);
    expect(calls()).toEqual([2, 2]);
  });

  it('charges credit once for an answer of the second url, and nothing if both are down', async () => {
    const gateway = await stopAfterTests(startCreditGateway({}, { APIS_FILE: PAID }));
    const wallet = await openWallet(gateway.solana);
    expect((await buyCredit(gateway, wallet)).status).toBe(200);
    const call = {
      target: '/v1/x402/solana/mainnet/weather/history',
      init: {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ city: 'Rome', from: 1 }),
      },
    };
    first.status = 503;
    expect((await spend(gateway, call, wallet.signIn)).status).toBe(200);
    expect(calls()).toEqual([1, 1]);
    expect(await balanceOf(gateway, wallet)).toMatchObject({ spentMicros: PRICE_MICROS, heldMicros: 0 });
    second.status = 503;
    expect((await spend(gateway, call, wallet.signIn)).status).toBe(502);
    expect(calls()).toEqual([2, 2]);
    expect(await balanceOf(gateway, wallet)).toMatchObject({ spentMicros: PRICE_MICROS, heldMicros: 0 });
  });
});

redisSuite('an API with two urls behind two nodes', () => {
  const redis = inSuite(startRedis);

  it('has one budget for each url', async () => {
    const variables = { REDIS_URL: redis.url };
    const nodes = [await start(variables), await start(variables)] as const;
    first.status = 503;
    expect((await forecast(nodes[0], 'Rome')).status).toBe(200);
    expect((await forecast(nodes[1], 'Rome')).status).toBe(200);
    for (const node of nodes) expect((await forecast(node, 'Rome')).status).toBe(502);
    expect(calls()).toEqual([4, 2]);
  });
});
