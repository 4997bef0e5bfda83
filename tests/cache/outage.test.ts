import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeFolder } from '../kit/folder.ts';
import { startTestGateway, type TestGateway, WITHOUT_BREAKER } from '../kit/test-gateway.ts';
import { askSigned, signedHeader } from '../kit/wallet.ts';

const BOUND_SECONDS = 3;
const folder = makeFolder();
let gateway: TestGateway;
beforeAll(async () => {
  const path = join(folder, 'cache.json');
  writeFileSync(path, JSON.stringify({ 'tokens.search': { freshSeconds: 1, maxStaleSeconds: BOUND_SECONDS } }));
  gateway = await startTestGateway(
    { RESPONSE_CACHE: 'on', CACHE_FILE: path, TOKENS_RATE_LIMIT_PER_MINUTE: '30' },
    WITHOUT_BREAKER,
  );
});
afterAll(async () => {
  await gateway.stop();
  rmSync(folder, { recursive: true, force: true });
});

const urlOf = (query: string) => `${gateway.url}/v1/x402/tokens/assets/search?q=${query}`;
const ask = (query: string) => askSigned(urlOf(query));

it('an upstream that is down: stale answers within their maximum age, then 502, without a storm of calls', async () => {
  expect((await ask('hot')).status).toBe(200);
  gateway.upstream.faults.status = 503;
  const [startedAt, before] = [performance.now(), gateway.upstream.arrivals.length];
  const seen: { readonly status: number; readonly age: number; readonly atSeconds: number }[] = [];
  while (performance.now() - startedAt < (BOUND_SECONDS + 4) * 1_000) {
    const answer = await ask('hot');
    const atSeconds = (performance.now() - startedAt) / 1_000;
    seen.push({ status: answer.status, age: Number(answer.headers.get('age')), atSeconds });
    await answer.arrayBuffer();
    await pause(100);
  }
  const served = seen.filter(({ status }) => status === 200);
  expect(served.length).toBeGreaterThan(5);
  expect(Math.max(...served.map(({ age }) => age))).toBeLessThanOrEqual(BOUND_SECONDS);
  expect([...new Set(seen.map(({ status }) => status))]).toEqual([200, 502]);
  // Each failure doubles the pause before the key is asked for again: 2, 4, 8 seconds.
  expect(gateway.upstream.arrivals.length - before).toBeLessThanOrEqual(8);
  gateway.upstream.faults.status = undefined;
  const again = gateway.upstream.arrivals.length;
  const answers = await Promise.all(Array.from({ length: 40 }, () => ask('cold')));
  expect(answers.map(({ status }) => status)).toEqual(Array(40).fill(200));
  expect(gateway.upstream.arrivals.length - again).toBeLessThanOrEqual(2);
}, 60_000);

it('a replayed sign-in does not refresh a stale answer, a good one does', async () => {
  const init = { headers: { 'SIGN-IN-WITH-X': await signedHeader(urlOf('stale')) } };
  expect((await fetch(urlOf('stale'), init)).status).toBe(200);
  await pause(1_200);
  const before = gateway.upstream.arrivals.length;
  const replays = await Promise.all(Array.from({ length: 10 }, () => fetch(urlOf('stale'), init)));
  expect(new Set(replays.map(({ status }) => status))).toEqual(new Set([402]));
  await pause(500);
  expect(gateway.upstream.arrivals.length).toBe(before);
  expect((await ask('stale')).status).toBe(200);
  await expect.poll(() => gateway.upstream.arrivals.length).toBe(before + 1);
});

it('replayed sign-ins for an expired answer do not block good ones', async () => {
  const init = { headers: { 'SIGN-IN-WITH-X': await signedHeader(urlOf('replayed')) } };
  expect((await fetch(urlOf('replayed'), init)).status).toBe(200);
  await pause((BOUND_SECONDS + 0.5) * 1_000);
  const before = gateway.upstream.arrivals.length;
  const replays = await Promise.all(Array.from({ length: 10 }, () => fetch(urlOf('replayed'), init)));
  expect(new Set(replays.map(({ status }) => status))).toEqual(new Set([402]));
  expect(gateway.upstream.arrivals.length).toBe(before);
  const answer = await ask('replayed');
  expect([answer.status, answer.headers.get('cache-status')]).toEqual([200, 'asset-gateway; fwd=stale; stored']);
});
