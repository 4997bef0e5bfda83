import { expect, it } from 'vitest';
import { stopAfterTests } from '../kit/stop-after-tests.ts';
import { startTestGateway } from '../kit/test-gateway.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

const gateway = await stopAfterTests(startTestGateway());

const ask = (path: string, headers = {}) => fetch(`${gateway.url}${path}`, { headers });

it('serves browsers the page, with a policy that forbids inline code and other origins', async () => {
  const response = await ask('/', { accept: BROWSER });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  const policy = response.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
  expect(policy).not.toMatch(/unsafe|https?:|\*|data:/);
  expect(response.headers.get('vary')).toBe('Accept, Accept-Encoding');
  expect(await response.text()).toContain('<title>Asset gateway</title>');
});

it('serves other clients an index of documents that exist', async () => {
  const response = await ask('/');
  expect(response.headers.get('content-type')).toBe('application/json');
  const { ok, service, responseCache, ...documents } = (await response.json()) as Record<string, string>;
  expect([ok, service, responseCache]).toEqual([true, 'asset-gateway', false]);
  expect(Object.keys(documents)).toEqual(['catalog', 'openapi', 'x402', 'llms']);
  for (const path of Object.values(documents)) expect((await ask(path)).status).toBe(200);
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

it("serves the operator's page only on the metrics port", async () => {
  for (const path of ['/operate', '/operate.html', '/%6fperate.html'])
    expect([path, (await ask(path, { accept: BROWSER })).status]).toEqual([path, 404]);
  expect(await (await ask('/', { accept: BROWSER })).text()).not.toMatch(/operate/i);
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
