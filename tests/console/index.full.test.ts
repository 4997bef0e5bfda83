import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { routes } from '@asset-gateway/protocol';
import { describe, expect, it } from 'vitest';
import { AnswerRecorder, refusedRequests } from '../answers/recorder.ts';
import { askOne, wireRequest, writeAndRead } from '../http/wire.ts';
import { browserSuite, openBrowser } from '../kit/chromium.ts';
import { everyThird, isFull } from '../kit/rounds.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { ROOMY } from '../payments/calls.ts';
import { LOOKS } from './console.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const VERBS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'DELETE'];

const marketNow = () => NOW;
const variables = { ...ROOMY, METRICS_PORT: '0' };
const gateway = await startTestGateway(variables, { paid: true, marketNow });
const { solana } = gateway;
const off = await startTestGateway({ ...variables, CONSOLE: 'off' }, { solana, marketNow });

const ask = (path: string, headers = {}) => fetch(`${gateway.url}${path}`, { headers });

it('serves browsers the page, with a policy that forbids inline code and other origins', async () => {
  const response = await ask('/', { accept: BROWSER });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  const policy = response.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
  expect(policy).not.toMatch(/unsafe|https?:|\*|data:/);
  expect(response.headers.get('vary')).toBe('Accept, Accept-Encoding');
  const page = await response.text();
  expect(page).toContain('<title>Asset gateway</title>');
  // Without JavaScript, too.
  expect(page).toContain('with a wallet, without an account or an API key');
});

it('serves other clients an index of documents that exist', async () => {
  const response = await ask('/');
  expect(response.headers.get('content-type')).toBe('application/json');
  const { ok, service, responseCache, sandbox, receipts, clusters, ...documents } = (await response.json()) as Record<
    string,
    string
  >;
  expect([ok, service, responseCache, sandbox, receipts]).toEqual([true, 'asset-gateway', false, true, false]);
  expect(clusters).toEqual(['mainnet', 'devnet']);
  expect(Object.keys(documents)).toEqual(['catalog', 'openapi', 'x402', 'llms']);
  for (const path of Object.values(documents)) expect((await ask(path)).status).toBe(200);
});

it('names no faucet and no balances without paid routes', async () => {
  const free = await startTestGateway();
  const index = (await (await fetch(`${free.url}/`)).json()) as Record<string, unknown>;
  expect([index.sandbox, index.clusters]).toEqual([false, []]);
});

it('lets browsers cache hashed files for ever and revalidate the page', async () => {
  const page = await (await ask('/', { accept: BROWSER })).text();
  const [script = ''] = /\/console\/[\w-]+\.js/.exec(page) ?? [];
  const kept = await ask(script);
  expect(kept.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  expect(kept.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  const tag = (await ask('/', { accept: BROWSER })).headers.get('etag') ?? '';
  expect((await ask('/', { accept: BROWSER, 'if-none-match': tag, 'cache-control': 'max-age=0' })).status).toBe(304);
});

it.each([
  '../package.json',
  '..%2fpackage.json',
  'index.html',
  'operate.html',
  '../operate.html',
  'nothing.js',
  'a/b.js',
  '%00',
  '',
])('has no file named %j', async (name) => {
  expect([400, 404]).toContain((await ask(`/console/${name}`)).status);
});

it('lists no console route in any document', async () => {
  for (const path of ['/openapi.json', '/v1/catalog', '/.well-known/x402', '/llms.txt'])
    expect(await (await ask(path)).text()).not.toContain('/console');
});

it('serves the same bytes with and without gzip', async () => {
  const [plain, zipped] = await Promise.all(
    ['identity', 'gzip'].map((encoding) => ask('/', { accept: BROWSER, 'accept-encoding': encoding })),
  );
  expect([plain?.headers.get('content-encoding'), zipped?.headers.get('content-encoding')]).toEqual([null, 'gzip']);
  expect(await zipped?.text()).toBe(await plain?.text());
});

/** The bytes of an answer without its date. */
async function bytesFor(verb: string, target: string): Promise<string> {
  const lines = [`Host: 127.0.0.1:${off.port}`, 'Accept: text/html', 'X-Request-Id: the-same'];
  const answer = await askOne(off.port, wireRequest(verb, target, lines));
  return JSON.stringify({ ...answer, headers: { ...answer?.headers, date: '' } });
}

describe('CONSOLE=off', () => {
  it.each(['/', '/console/icon.svg', '/console/rpc/mainnet'])('answers %s as unknown to each verb', async (target) => {
    for (const verb of VERBS) expect(await bytesFor(verb, target)).toBe(await bytesFor(verb, '/nothing'));
  });

  it('changes no answer of any route', async () => {
    for (const [row, route] of routes.filter((_, at) => isFull || at % 5 === 0).entries()) {
      for (const [title, [target, init]] of everyThird(Object.entries(refusedRequests(route)), row)) {
        const [one, other] = await Promise.all(
          [gateway, off].map(async ({ url }) => new AnswerRecorder().record(await fetch(`${url}${target}`, init))),
        );
        expect(one, `${route.id} ${title}`).toBe(other);
      }
    }
  }, 60_000);
});

describe('the page of the metrics port', () => {
  const [shown, hidden] = [gateway, off].map((each) => new URL(each.gateway.metricsUrl ?? '')) as [URL, URL];
  const askThere = (path: string, init: RequestInit = {}) => fetch(new URL(path, shown), init);

  /** The bytes of a GET's answer without its date. */
  const bytesOf = async ({ port }: URL, path: string): Promise<string> => {
    const raw = await writeAndRead(
      Number(port),
      `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
    );
    return raw.replace(/^Date: .*\r\n/m, '');
  };

  it('serves the page without figures, with the policy of the public page', async () => {
    const response = await askThere('/');
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none'; .*frame-ancestors 'none'$/);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
    const page = await response.text();
    expect(page).toContain('<title>Operate an asset gateway</title>');
    expect(page).toBe(readFileSync('packages/console/dist/operate.html', 'utf8'));
  });

  it('W38 the public port serves no file and no code of this page', async () => {
    const built = 'packages/console/dist';
    const filesIn = (folder: string) => readdirSync(join(built, folder)).map((name) => `/${folder}/${name}`);
    const [shared, own] = [filesIn('console'), filesIn('operate')];
    // Only this page reads the history.
    const isOperate = (path: string) => readFileSync(join(built, path), 'utf8').includes('/history?');
    expect(new Set(own.map((path) => path.split('.').at(-1)))).toEqual(new Set(['css', 'js', 'md']));
    expect([own.some(isOperate), shared.filter(isOperate)]).toEqual([true, []]);
    const names = own.map((path) => path.replace('/operate/', ''));
    const absent = [...own, ...names.map((name) => `/console/${name}`), '/operate.html', '/console/operate.html'];
    for (const path of absent) expect([path, (await fetch(gateway.url + path)).status]).toEqual([path, 404]);
    for (const path of shared) expect([path, (await fetch(gateway.url + path)).status]).toEqual([path, 200]);
    for (const path of [...own, ...shared]) expect([path, (await askThere(path)).status]).toEqual([path, 200]);
    for (const path of own)
      expect((await askThere(path)).headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  });

  it('answers HEAD without a body, refuses other verbs, and has no other file', async () => {
    const head = await askThere('/', { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect((await askThere('/', { method: 'POST' })).status).toBe(405);
    for (const path of [
      '/console/',
      '/console/operate.html',
      '/console/../package.json',
      '/operate.html',
      '/console/%2e',
    ])
      expect([path, (await askThere(path)).status]).toEqual([path, 404]);
  });

  it('with CONSOLE=off answers every path but /metrics with the same 404', async () => {
    const nothing = await bytesOf(hidden, '/nothing');
    expect(nothing).toBe('HTTP/1.1 404 Not Found\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n');
    expect(await bytesOf(shown, '/nothing')).toBe(nothing);
    for (const path of ['/', '/console/icon.svg']) expect(await bytesOf(hidden, path)).toBe(nothing);
  });
});

const MAX_FIRST_PAINT = 100_000;
const MAX_TOTAL = 150_000;

it('all JavaScript of the console is at most 150 kB with gzip', () => {
  const folders = ['console', 'operate'].map((name) => join('packages/console/dist', name));
  const files = folders.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)));
  const scripts = files.filter((path) => path.endsWith('.js'));
  const sizes = scripts.map((path) => gzipSync(readFileSync(path), { level: 9 }).length);
  expect(scripts.length).toBeGreaterThan(1);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(MAX_TOTAL);
});

browserSuite('the weight of the page', () => {
  it('loads under 100 kB in total, icon included', async () => {
    const context = await (await openBrowser()).newContext(LOOKS['1440-light']);
    const page = await context.newPage();
    const devtools = await context.newCDPSession(page);
    const urls = new Map<string, string>();
    const sizes = new Map<string, number>();
    devtools.on('Network.requestWillBeSent', ({ requestId, request }) => void urls.set(requestId, request.url));
    devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      sizes.set(urls.get(requestId) ?? requestId, encodedDataLength);
    });
    await devtools.send('Network.enable');
    await page.goto(`${gateway.url}/`);
    await page.getByRole('region', { name: 'Majors' }).getByRole('link').first().waitFor();
    await page.getByRole('link', { name: /^Wallet: 0\.00 USDC/ }).waitFor();
    await page.waitForLoadState('networkidle');
    // Chromium without a window does not load the icon.
    const icon = await (await fetch(`${gateway.url}/console/icon.svg`)).arrayBuffer();
    const total = [...sizes.values()].reduce((sum, size) => sum + size, icon.byteLength);
    expect(sizes.size).toBeGreaterThan(3);
    expect(total).toBeLessThan(MAX_FIRST_PAINT);
    await context.close();
  });
});
