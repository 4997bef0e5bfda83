import { beforeEach, describe, expect, it } from 'vitest';
import { readApisFile } from '../../packages/gateway/src/config/apis-file/file.ts';
import { officialFetch } from '../discovery/official-fetch.ts';
import { jsonInit } from '../http/targets.ts';
import { startTestGateway, type TestGateway, WITHOUT_BREAKER } from '../kit/test-gateway.ts';
import { startStubApi } from './apis.ts';
import { documentPath, writeDocument } from './document-files.ts';

const [SHORT_MS, LONG_MS] = [500, 28_000];

const rows = () => readApisFile(APIS_FILE).apis.flatMap((api) => api.rows);
const [first, second] = [await startStubApi(rows), await startStubApi(rows)];
const APIS_FILE = writeDocument({
  apis: {
    weather: {
      title: 'Weather',
      openapi: documentPath('weather.yaml'),
      urls: [first, second].map(({ url }) => ({ url: `${url}/weather`, requestsPerMinute: 1_000 })),
      operations: { getForecast: {}, getHistory: { access: 'exact', price: '0.002', idempotent: true } },
    },
  },
});

const open = (freeMs: number, paidMs: number) => {
  const times = { UPSTREAM_TIMEOUT_MS: String(freeMs), PAID_UPSTREAM_TIMEOUT_MS: String(paidMs) };
  return startTestGateway({ APIS_FILE, ...times }, { paid: true, ...WITHOUT_BREAKER });
};
const patient = await open(SHORT_MS, LONG_MS);
const hasty = await open(600_000, SHORT_MS);

/** Buys an answer; answers the status, the error, and how many payments have settled. */
async function bought(gateway: TestGateway) {
  const { mainnet } = gateway.solana ?? {};
  const buy = await officialFetch(gateway);
  const before = mainnet?.transfers.length ?? 0;
  const url = `${gateway.url}/v1/x402/solana/mainnet/weather/history`;
  const response = await buy(url, jsonInit({ city: 'Rome', from: 1 }));
  const { error, payment } = (await response.json()) as { error?: string; payment?: object };
  return { status: response.status, error, payment, settled: (mainnet?.transfers.length ?? 0) - before };
}

beforeEach(() => {
  for (const api of [first, second]) Object.assign(api, { status: 200, delayMs: 0 });
  for (const api of [first, second]) api.arrivals.length = 0;
});

describe('X21 a paid operation of an own API', () => {
  it('waits the time-out of paid calls, also for longer than a free one waits', async () => {
    first.delayMs = 3 * SHORT_MS;
    expect(await bought(patient)).toEqual({ status: 200, error: undefined, payment: undefined, settled: 1 });
  });

  it('is not paid for and not waited for beyond it, however long a free one waits', async () => {
    first.status = 'silent';
    const unused = { state: 'unused' };
    expect(await bought(hasty)).toEqual({ status: 504, error: 'upstream_timeout', payment: unused, settled: 0 });
    expect(first.arrivals).toHaveLength(1);
  });

  it('has one time-out for all upstream calls of a request', async () => {
    Object.assign(first, { status: 503, delayMs: 0.8 * SHORT_MS });
    // Alone it would answer in time.
    second.delayMs = 0.8 * SHORT_MS;
    expect(await bought(hasty)).toMatchObject({ status: 504, error: 'upstream_timeout', settled: 0 });
  });
});
