import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeAndRead } from '../http/wire.ts';
import { startTestGateway } from '../kit/test-gateway.ts';

const gateway = await startTestGateway({ METRICS_PORT: '0' });
const withoutConsole = await startTestGateway({ METRICS_PORT: '0', CONSOLE: 'off' });
const [shown, hidden] = [gateway, withoutConsole].map((each) => new URL(each.gateway.metricsUrl ?? '')) as [URL, URL];

const ask = (path: string, init: RequestInit = {}) => fetch(new URL(path, shown), init);

/** The bytes of a GET's answer without its date. */
const bytesOf = async ({ port }: URL, path: string): Promise<string> => {
  const raw = await writeAndRead(Number(port), `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  return raw.replace(/^Date: .*\r\n/m, '');
};

it('serves the page without figures, with the policy of the public page', async () => {
  const response = await ask('/');
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none'; .*frame-ancestors 'none'$/);
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  expect(response.headers.get('access-control-allow-origin')).toBeNull();
  const page = await response.text();
  expect(page).toContain('<title>Operate an asset gateway</title>');
  expect(page).toBe(readFileSync('packages/console/dist/operate.html', 'utf8'));
});

it('W38 the public port serves no file of this page and no code of it', async () => {
  const built = 'packages/console/dist';
  const filesIn = (folder: string) => readdirSync(join(built, folder)).map((name) => `/${folder}/${name}`);
  const [shared, own] = [filesIn('console'), filesIn('operate')];
  // Only this page reads the history.
  const isOperate = (path: string) => readFileSync(join(built, path), 'utf8').includes('/history?');
  expect(new Set(own.map((path) => path.split('.').at(-1)))).toEqual(new Set(['css', 'js']));
  expect([own.some(isOperate), shared.filter(isOperate)]).toEqual([true, []]);
  const names = own.map((path) => path.replace('/operate/', ''));
  const absent = [...own, ...names.map((name) => `/console/${name}`), '/operate.html', '/console/operate.html'];
  for (const path of absent) expect([path, (await fetch(gateway.url + path)).status]).toEqual([path, 404]);
  for (const path of shared) expect([path, (await fetch(gateway.url + path)).status]).toEqual([path, 200]);
  for (const path of [...own, ...shared]) expect([path, (await ask(path)).status]).toEqual([path, 200]);
  for (const path of own)
    expect((await ask(path)).headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
});

it('answers HEAD without a body, refuses other verbs, and has no other file', async () => {
  const head = await ask('/', { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
  expect((await ask('/', { method: 'POST' })).status).toBe(405);
  for (const path of [
    '/console/',
    '/console/operate.html',
    '/console/../package.json',
    '/operate.html',
    '/console/%2e',
  ])
    expect([path, (await ask(path)).status]).toEqual([path, 404]);
});

it('with CONSOLE=off answers every path but /metrics with the same 404', async () => {
  const nothing = await bytesOf(hidden, '/nothing');
  expect(nothing).toBe('HTTP/1.1 404 Not Found\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n');
  expect(await bytesOf(shown, '/nothing')).toBe(nothing);
  for (const path of ['/', '/console/icon.svg']) expect(await bytesOf(hidden, path)).toBe(nothing);
});
