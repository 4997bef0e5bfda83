import type { Environment } from '@asset-gateway/gateway';
import type { Route } from '@asset-gateway/protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import { readApisFile } from '../../packages/gateway/src/config/apis-file/file.ts';
import { officialFetch } from '../discovery/official-fetch.ts';
import { jsonInit } from '../http/targets.ts';
import { inSuite } from '../kit/in-suite.ts';
import { redisSuite, startRedis } from '../kit/redis.ts';
import { startTestGateway, type TestGatewayOptions, WITHOUT_BREAKER } from '../kit/test-gateway.ts';
import { askSigned, signedHeader } from '../kit/wallet.ts';
import { startStubApi } from './apis.ts';
import { documentPath, faultsOf, writeDocument } from './document-files.ts';

const TIMEOUT_MS = 300;

const rows: Route[] = [];
const first = await startStubApi(() => rows);
const second = await startStubApi(() => rows);

const openapi = documentPath('weather.yaml');
const key = (env: string) => ({ header: 'X-Api-Key', env });
/** An API of this name at both stubs. */
const twice = (name: string, operations: object, ofSecond: object = {}) => ({
  title: name,
  openapi,
  key: key('FIRST_KEY'),
  urls: [{ url: `${first.url}/${name}` }, { url: `${second.url}/${name}`, requestsPerMinute: 500, ...ofSecond }],
  operations,
});
const cache = { freshSeconds: 60, maxStaleSeconds: 60 };
const cached = { ...twice('cached', { getForecast: {} }, { requestsPerMinute: 2 }), requestsPerMinute: 500, cache };
const sold = { access: 'exact', price: '0.002', idempotent: true };
const APIS_FILE = writeDocument({
  apis: {
    weather: twice('weather', { getForecast: {}, getHistory: sold }, { key: key('SECOND_KEY') }),
    notes: twice('notes', { getHistory: {} }, { key: key('SECOND_KEY') }),
    small: twice('small', { getForecast: {} }, { requestsPerMinute: 1 }),
    lists: twice('lists', { getHistory: { idempotent: true } }, { key: key('SECOND_KEY') }),
    cached,
  },
});
rows.push(...readApisFile(APIS_FILE).apis.flatMap((api) => api.rows));

const APIS = { APIS_FILE, FIRST_KEY: 'first_key', SECOND_KEY: 'second_key', UPSTREAM_TIMEOUT_MS: String(TIMEOUT_MS) };
const serve = (variables: Environment = {}, options: TestGatewayOptions = WITHOUT_BREAKER) =>
  startTestGateway({ ...APIS, ...variables }, { paid: true, ...options });

const gateway = await startTestGateway(APIS, { paid: true, ...WITHOUT_BREAKER });
const buy = await officialFetch(gateway);
const POST = jsonInit({ city: 'Rome', from: 1 });
const CALLS = {
  get: () => askSigned(`${gateway.url}/v1/x402/weather/forecast/Rome`),
  post: () => askSigned(`${gateway.url}/v1/x402/notes/history`, POST),
  idempotent: () => askSigned(`${gateway.url}/v1/x402/lists/history`, POST),
  paid: () => buy(`${gateway.url}/v1/x402/solana/mainnet/weather/history`, POST),
} as const;

beforeEach(async () => {
  for (const api of [first, second]) {
    await api.stop();
    await api.start();
    api.status = 200;
    api.arrivals.length = 0;
  }
});

const outcome = async (call: keyof typeof CALLS) => {
  const response = await CALLS[call]();
  const { error } = (await response.json()) as { error?: string };
  return [response.status, error, first.arrivals.length, second.arrivals.length];
};

const transfers = () => gateway.solana.mainnet.transfers.length;

describe('an API with two urls', () => {
  it('asks the first one alone while it is up, with its key', async () => {
    expect(await outcome('get')).toEqual([200, undefined, 1, 0]);
    expect(first.arrivals[0]?.headers['x-api-key']).toBe('first_key');
  });

  const KINDS = ['get', 'post', 'idempotent', 'paid'] as const;
  it.each(KINDS)('%s: asks the second one, with its key, if the first refuses connections', async (call) => {
    await first.stop();
    expect(await outcome(call)).toEqual([200, undefined, 0, 1]);
    expect(second.arrivals[0]?.headers['x-api-key']).toBe('second_key');
  });

  it.each([502, 503, 504])('asks the second one after a %i, unless the request may have an effect', async (status) => {
    first.status = status;
    expect(await outcome('get')).toEqual([200, undefined, 1, 1]);
    expect(await outcome('idempotent')).toEqual([200, undefined, 2, 2]);
    expect(await outcome('post')).toEqual([502, 'upstream_error', 3, 2]);
  });

  it.each([
    [500, 502, 'upstream_error'],
    [302, 502, 'upstream_redirect'],
    [404, 404, 'upstream_rejected'],
    ['silent', 504, 'upstream_timeout'],
    ['half', 502, 'upstream_invalid_response'],
    [429, 503, 'upstream_rate_limited'],
  ] as const)('does not ask the second one after %s', async (mode, status, error) => {
    first.status = mode;
    expect(await outcome('idempotent')).toEqual([status, error, 1, 0]);
  });

  it('takes a slot of each url that it calls, and uses up the nonce once', async () => {
    first.status = 503;
    const url = `${gateway.url}/v1/x402/weather/forecast/Milan`;
    const header = await signedHeader(url);
    const ask = () => fetch(url, { headers: { 'SIGN-IN-WITH-X': header } });
    expect((await ask()).status).toBe(200);
    const again = await ask();
    expect([again.status, ((await again.json()) as { error: string }).error]).toEqual([402, 'invalid_siwx_nonce']);
    expect([first.arrivals.length, second.arrivals.length]).toEqual([1, 1]);
  });

  it('settles one payment for an answer of the second one, and none if both are down', async () => {
    first.status = 503;
    const before = transfers();
    expect(await outcome('paid')).toEqual([200, undefined, 1, 1]);
    expect(transfers()).toBe(before + 1);
    second.status = 503;
    expect(await outcome('paid')).toEqual([502, 'upstream_error', 2, 2]);
    await first.stop();
    await second.stop();
    expect(await outcome('paid')).toEqual([502, 'upstream_unreachable', 2, 2]);
    expect(transfers()).toBe(before + 1);
  });

  it("reports the first one's failure if the second one has no slot left", async () => {
    first.status = 503;
    const ask = () => askSigned(`${gateway.url}/v1/x402/small/forecast/Rome`);
    expect((await ask()).status).toBe(200);
    const response = await ask();
    expect([response.status, await response.json()]).toMatchObject([502, { error: 'upstream_error' }]);
    expect([first.arrivals.length, second.arrivals.length]).toEqual([2, 1]);
  });

  it('asks the first URL again as soon as it is back', async () => {
    await first.stop();
    expect(await outcome('get')).toEqual([200, undefined, 0, 1]);
    await first.start();
    expect(await outcome('get')).toEqual([200, undefined, 1, 1]);
  });
});

describe('the circuit breaker of one url', () => {
  it('leaves that url alone, also for POSTs, until a probe is answered', async () => {
    let nowMs = 0;
    const probeMs = 1_000;
    const broken = await serve({ METRICS_PORT: '0' }, { breaker: { failures: 3, probeMs, now: () => nowMs } });
    const forecast = async (city: string) => (await askSigned(`${broken.url}/v1/x402/weather/forecast/${city}`)).status;
    first.status = 503;
    for (const city of ['Rome', 'Milan', 'Turin']) expect(await forecast(city)).toBe(200);
    expect([first.arrivals.length, second.arrivals.length]).toEqual([3, 3]);
    expect(await forecast('Genoa')).toBe(200);
    expect([first.arrivals.length, second.arrivals.length]).toEqual([3, 4]);
    const page = await (await fetch(broken.gateway.metricsUrl ?? '')).text();
    const gauge = (surface: string) => `breaker_open{provider="weather",cluster="",surface="${surface}"}`;
    expect(page).toContain(`${gauge('weather')} 1`);
    expect(page).toContain(`${gauge('weather:2')} 0`);
    first.status = 200;
    nowMs += probeMs;
    expect(await forecast('Bari')).toBe(200);
    expect(await forecast('Pisa')).toBe(200);
    expect([first.arrivals.length, second.arrivals.length]).toEqual([5, 4]);
  });
});

const forecast = ({ url }: { readonly url: string }, city: string) =>
  askSigned(`${url}/v1/x402/cached/forecast/${city}`);
const calls = () => [first.arrivals.length, second.arrivals.length];

describe('answers of two urls', () => {
  it('has one cached answer, whichever url gave it', async () => {
    const gateway = await serve({ RESPONSE_CACHE: 'on' });
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
});

redisSuite('an API with two urls behind two nodes', () => {
  const redis = inSuite(startRedis);

  it('has one budget for each url', async () => {
    const free = { ...APIS, APIS_FILE: writeDocument({ apis: { cached } }), REDIS_URL: redis.url };
    const open = () => startTestGateway(free, WITHOUT_BREAKER);
    const nodes = [await open(), await open()] as const;
    first.status = 503;
    expect((await forecast(nodes[0], 'Rome')).status).toBe(200);
    expect((await forecast(nodes[1], 'Rome')).status).toBe(200);
    for (const node of nodes) expect((await forecast(node, 'Rome')).status).toBe(502);
    expect(calls()).toEqual([4, 2]);
  });
});

const [A, B] = [{ url: 'https://a.example' }, { url: 'https://b.example' }];
const bearer = { bearer: true, env: 'B' };
const IDEMPOTENT = { getForecast: { idempotent: true } };

it.each([
  [{ ...A, urls: [B] }, 'it needs either url or urls'],
  [{}, 'it needs either url or urls'],
  [{ urls: [A, A] }, 'urls has the same url twice'],
  [{ urls: [{ url: 'ftp://a.example' }] }, 'url must be an http or https URL without a query'],
  [{ key: key('A'), urls: [A, { ...B, key: bearer }] }, 'the keys of all urls must have the same header or query name'],
  [{ ...A, operations: IDEMPOTENT }, 'operations.getForecast: idempotent is not for a GET'],
])('%j is a fault', (entry, fault) => {
  const weather = { title: 'Weather', openapi, operations: {}, ...entry };
  expect(faultsOf({ weather })).toEqual([`apis.weather: ${fault}`]);
});
