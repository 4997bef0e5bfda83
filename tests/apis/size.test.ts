import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { createClient } from '@asset-gateway/client';
import { everyRoute, MAX_READ_BYTES } from '@asset-gateway/protocol';
import { describe, expect, it, vi } from 'vitest';
import { codingFor } from '../../packages/gateway/src/codings.ts';
import { lengthNotice } from '../../packages/gateway/src/compose/service.ts';
import { readApisFile } from '../../packages/gateway/src/config/apis-file/file.ts';
import { catalogTexts } from '../../packages/gateway/src/describe/catalog.ts';
import { writeLargeApi } from '../../scripts/measure/large-api.mjs';
import { runHere } from '../cli/in-process.ts';
import { makeFolder } from '../kit/folder.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { cpuMicrosSince } from '../kit/usage.ts';

const APIS_FILE = writeLargeApi(makeFolder(), 1_000);
const gateway = await startTestGateway({ APIS_FILE });
const UNREACHABLE = { code: 'upstream_unreachable' };
const CATALOG = '/v1/catalog?provider=large';

/** Asks without decoding the answer. */
async function ask(target: string, headers: Record<string, string> = {}, method = 'GET') {
  const response = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
    request(gateway.url + target, { method, headers }, resolve)
      .once('error', reject)
      .end();
  });
  return { status: response.statusCode, headers: response.headers, body: await buffer(response) };
}

/** CPU of this process, in microseconds, while something is done. */
async function cpuOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  return cpuMicrosSince(before);
}

describe('a document of many operations', () => {
  it('is made before the first request, which then takes less than half the time of making it', async () => {
    const rows = [...everyRoute, ...readApisFile(APIS_FILE).apis.flatMap((api) => api.rows)];
    const service = { name: 'x', routes: rows, titles: new Map([['large', 'Large']]), priceUsd: () => '0.00' };
    const first = await cpuOf(() => ask('/v1/catalog', { 'accept-encoding': 'br' }));
    const making = await cpuOf(() => catalogTexts(service));
    expect(first / making).toBeLessThan(0.5);
  });

  it.each(['/v1/catalog', CATALOG, '/openapi.json', '/.well-known/x402', '/llms.txt'])(
    '%s is the same in each coding, with a tag of its own, and unchanged for that tag alone',
    async (target) => {
      const plain = await ask(target);
      const zipped = await ask(target, { 'accept-encoding': 'gzip' });
      const small = await ask(target, { 'accept-encoding': 'gzip;q=0.5, br' });
      expect(gunzipSync(zipped.body).equals(plain.body)).toBe(true);
      expect(brotliDecompressSync(small.body).equals(plain.body)).toBe(true);
      const all = [plain, zipped, small];
      expect(all.map(({ headers }) => headers['content-encoding'])).toEqual([undefined, 'gzip', 'br']);
      expect(all.map(({ headers }) => headers.vary)).toEqual(Array(3).fill('Accept-Encoding'));
      expect(all.map(({ headers, body }) => Number(headers['content-length']) - body.length)).toEqual([0, 0, 0]);
      expect(new Set(all.map(({ headers }) => headers.etag)).size).toBe(3);
      const again = { 'accept-encoding': 'br', 'if-none-match': small.headers.etag ?? '' };
      const unchanged = await ask(target, again);
      expect([unchanged.status, unchanged.body.length, unchanged.headers.vary]).toEqual([304, 0, 'Accept-Encoding']);
      expect(unchanged.headers['content-encoding']).toBeUndefined();
      expect((await ask(target, { ...again, 'accept-encoding': 'gzip' })).status).toBe(200);
    },
  );

  it('lists one API for its name', async () => {
    const { catalog, routes } = JSON.parse(String((await ask(CATALOG)).body));
    expect(catalog).toMatchObject({ returnedRoutes: 1_000, filters: { provider: 'large' } });
    expect(new Set(routes.map(({ provider }: { provider: string }) => provider))).toEqual(new Set(['large']));
  });

  it('names the known providers for an unknown one', async () => {
    const { status, body } = await ask('/v1/catalog?provider=larger');
    const { error, issues } = JSON.parse(String(body));
    expect([status, error]).toEqual([400, 'invalid_provider_filter']);
    expect(issues[0].message).toMatch(/alchemy.*helius.*tokens.*large/);
  });

  it('longer than our clients read is named at the start, once', () => {
    const long = 'x'.repeat(MAX_READ_BYTES + 1);
    const noticeOf = (texts: Readonly<Record<string, string>>) =>
      lengthNotice(new Map<string | undefined, string>([[undefined, long], ...Object.entries(texts)]));
    const notice = noticeOf({ one: long, two: 'x', three: long });
    expect(notice).toMatch(/^the catalog of one and of three is longer than the 32 MiB that our clients read/);
    expect(noticeOf({ one: long.slice(1) })).toBeUndefined();
  });
});

describe('our clients ask for the catalog of one API', () => {
  const targets = async (work: () => Promise<unknown>): Promise<string[]> => {
    const spy = vi.spyOn(globalThis, 'fetch');
    await work();
    const urls = spy.mock.calls.map(([input]) => String(input instanceof Request ? input.url : input));
    spy.mockRestore();
    return urls.filter((url) => url.includes('/v1/catalog')).map((url) => url.slice(gateway.url.length));
  };

  it('to call an operation by its name', async () => {
    const client = createClient({ baseUrl: gateway.url });
    // Nothing listens at the API.
    const call = () => expect(client.call('large.listKind1', { owner: 'ada' })).rejects.toMatchObject(UNREACHABLE);
    expect(await targets(call)).toEqual([CATALOG]);
  });

  it('also on the command line', async () => {
    const env = { HOME: makeFolder(), ASSET_GATEWAY_URL: gateway.url };
    const asked = await targets(() => runHere(['large', 'listKind1', '--help'], { env }));
    expect(new Set(asked)).toEqual(new Set([CATALOG]));
  });
});

describe('Accept-Encoding', () => {
  const of = (header: string | undefined) => codingFor(header, ['br', 'gzip']);

  it.each([
    [undefined, undefined],
    ['', undefined],
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip;q=1.0, br;q=0.9', 'gzip'],
    ['br;q=0, gzip;q=0.001', 'gzip'],
    ['br ; q=0', undefined],
    ['*', 'br'],
    ['*;q=0.5, br;q=0', 'gzip'],
    ['identity', undefined],
    ['identity;q=0.5, gzip;q=0.4', undefined],
    ['identity;q=0', undefined],
    ['gzip;q=2', undefined],
    ['gzip;level=9', undefined],
    ['gzipped', undefined],
    [`${'a,'.repeat(64)}gzip`, undefined],
  ])('%j is answered as %s', (header, coding) => expect(of(header)).toBe(coding));
});
