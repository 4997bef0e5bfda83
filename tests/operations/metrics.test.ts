import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { networkInterfaces } from 'node:os';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { Metrics } from '../../packages/gateway/src/metrics/metrics.ts';
import { documentedMetrics } from '../deploy/monitoring.ts';
import { statusOf, writeAndRead } from '../http/wire.ts';
import { CANARY_KEY, CANARY_SECRET, startTestGateway } from '../kit/test-gateway.ts';
import { newSigner, signedHeader } from '../kit/wallet.ts';
import { callOf, requiredFor, sendPaid } from '../payments/calls.ts';
import { openWallet } from '../payments/wallets.ts';
import { Caller, HEALTH, secretsIn, slotsLeft, TOKENS } from '../upstream/caller.ts';
import { Scrape, scrape } from './scrape.ts';

const LIMIT = 200;
const PREFIX = 'asset_gateway_';

const limits = { TOKENS_RATE_LIMIT_PER_MINUTE: String(LIMIT), UPSTREAM_TIMEOUT_MS: '2000' };
const everything = { METRICS_PORT: '0', SOL_PRICE_USD: '150', RESPONSE_CACHE: 'on', CREDIT: 'on' };
const gateway = await startTestGateway({ ...limits, ...everything }, { paid: true });

/** How a metric has changed while this ran. */
async function change(name: string, labels: Record<string, string>, run: () => Promise<unknown>): Promise<number> {
  const before = (await scrape(gateway.gateway)).sum(PREFIX + name, labels) ?? 0;
  await run();
  return ((await scrape(gateway.gateway)).sum(PREFIX + name, labels) ?? 0) - before;
}

const RPC = callOf('rpc.mainnet.helius.getBalance');
const buy = async () =>
  expect((await (await openWallet(gateway.solana)).buy(gateway.url + RPC.target, RPC.init)).status).toBe(200);

/** Buys a bundle, which covers the next payment. */
async function spendCredit(): Promise<void> {
  const wallet = await openWallet(gateway.solana);
  for (const place of [1, 0]) {
    const { accepts, ...required } = await requiredFor(gateway, RPC);
    const payment = await wallet.pay({ ...required, accepts: accepts.slice(place, place + 1) });
    expect((await sendPaid(gateway, RPC, payment)).status).toBe(200);
  }
}

describe('docs/metrics.md', () => {
  it('has exactly the metrics that a running gateway gives out, with their types and labels', async () => {
    await new Caller(gateway).ask({ target: HEALTH });
    await new Caller(gateway).ask({ target: `${TOKENS}/assets/search?q=solana` });
    await buy();
    await spendCredit();
    const scraped = await scrape(gateway.gateway);
    const own = [...scraped.types].filter(([name]) => name.startsWith(PREFIX));
    const shown = own.map(([name, type]) => ({ name, type, labels: scraped.labelNames(name) }));
    expect(new Set(shown)).toEqual(new Set(documentedMetrics));
  });

  it('lists the metrics of the process', async () => {
    const { types } = await scrape(gateway.gateway);
    const page = readFileSync('docs/metrics.md', 'utf8');
    const named = [...page.matchAll(/`((?:nodejs|process)_\w+)`/g)].map(([, name = '']) => name);
    expect(named.length).toBeGreaterThan(4);
    expect(named.filter((name) => !types.has(name))).toEqual([]);
  });
});

describe('requests', () => {
  it.each<[string, Record<string, string>, string]>([
    ['/healthz', { route: 'system.liveness', status: '200', code: 'none' }, 'GET'],
    ['/v1/catalog?provider=x', { route: 'system.catalog', status: '400', code: 'invalid_provider_filter' }, 'GET'],
    [HEALTH, { route: 'tokens.health', status: '402', code: 'sign_in_required' }, 'GET'],
    ['/nothing', { route: 'none', status: '404', code: 'not_found' }, 'GET'],
    [HEALTH, { route: 'none', status: '405', code: 'method_not_allowed' }, 'DELETE'],
    [HEALTH, { route: 'tokens.health', status: '204', code: 'none' }, 'OPTIONS'],
  ])('%s is counted as %j', async (target, labels, method) => {
    const asked = () => fetch(gateway.url + target, { method });
    expect(await change('requests_total', labels, asked)).toBe(1);
  });

  it('have a duration by surface', async () => {
    const counted = { surface: 'system' };
    expect(await change('request_duration_seconds_count', counted, () => fetch(`${gateway.url}/healthz`))).toBe(1);
    const { types } = await scrape(gateway.gateway);
    expect(types.get('asset_gateway_request_duration_seconds')).toBe('histogram');
  });

  it('of the metrics themselves are not among them, and other paths of their port are not there', async () => {
    const origin = new URL(gateway.gateway.metricsUrl ?? '').origin;
    const statuses = async () => {
      const asked = ['/x', '/healthz', '/metrics/', '/v1/catalog'].map((path) => fetch(origin + path));
      expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([404, 404, 404, 404]);
      expect((await fetch(`${origin}/metrics`, { method: 'POST' })).status).toBe(405);
      const head = await fetch(`${origin}/metrics?x=1`, { method: 'HEAD' });
      expect([head.status, await head.text()]).toEqual([200, '']);
    };
    expect(await change('requests_total', {}, statuses)).toBe(0);
    expect((await fetch(`${gateway.url}/metrics`)).status).toBe(404);
  });
});

describe('sign-ins', () => {
  it('are counted by result', async () => {
    const caller = new Caller(gateway);
    const signIn = await caller.signIn();
    const ask = () => caller.askWith(signIn, { target: HEALTH });
    expect(await change('sign_ins_total', { result: 'accepted' }, ask)).toBe(1);
    expect(await change('sign_ins_total', { result: 'invalid_siwx_nonce' }, ask)).toBe(1);
    const unsigned = () => fetch(gateway.url + HEALTH);
    expect(await change('sign_ins_total', { result: 'sign_in_required' }, unsigned)).toBe(1);
    const nonsense = () => caller.askWith({ 'SIGN-IN-WITH-X': 'x' }, { target: HEALTH });
    expect(await change('sign_ins_total', { result: 'invalid_siwx_header' }, nonsense)).toBe(1);
    expect(await change('sign_ins_total', {}, () => fetch(`${gateway.url}/healthz`))).toBe(0);
  });

  it('each result is there from the start', async () => {
    const { text } = await new Metrics([]).page(undefined);
    for (const result of ['accepted', 'invalid_siwx_signature'])
      expect(new Scrape(text).sum('asset_gateway_sign_ins_total', { result })).toBe(0);
  });
});

describe('upstreams', () => {
  const channel = { provider: 'tokens', cluster: '', surface: 'tokens' };

  it('have a duration by provider, cluster and surface, failed calls too', async () => {
    const calls = async () => {
      await new Caller(gateway).ask({ target: HEALTH });
      gateway.upstream.faults.hang = true;
      expect((await new Caller(gateway).ask({ target: HEALTH })).status).toBe(504);
      gateway.upstream.faults.reset();
    };
    expect(await change('upstream_duration_seconds_count', channel, calls)).toBe(2);
    const paid = { provider: 'helius', cluster: 'mainnet', surface: 'rpc' };
    expect(await change('upstream_duration_seconds_count', paid, buy)).toBe(1);
    const unsigned = () => fetch(gateway.url + HEALTH);
    expect(await change('upstream_duration_seconds_count', {}, unsigned)).toBe(0);
  });

  it('have a budget that agrees with the response', async () => {
    const answer = await new Caller(gateway).ask({ target: HEALTH });
    const scraped = await scrape(gateway.gateway);
    expect(scraped.sum('asset_gateway_budget_left', channel)).toBe(slotsLeft(answer));
    expect(scraped.sum('asset_gateway_budget_limit', channel)).toBe(LIMIT);
    const das = { provider: 'alchemy', cluster: 'mainnet', surface: 'das' };
    const ofDas = ['budget_left', 'budget_limit', 'breaker_open'].map((name) => scraped.sum(PREFIX + name, das));
    expect(ofDas).toEqual([10, 10, 0]);
  });
});

describe('values that clients choose', () => {
  it('makes no series, and no secret or wallet is in any', async () => {
    const signer = newSigner();
    await fetch(gateway.url + HEALTH);
    await fetch(`${gateway.url}/x`);
    const wrong = () => fetch(gateway.url + HEALTH, { headers: { 'SIGN-IN-WITH-X': 'x' } });
    await wrong();
    const before = (await scrape(gateway.gateway)).size;
    const ROUNDS = 50;
    for (let round = 0; round < ROUNDS; round++) {
      await fetch(`${gateway.url}/${round}`, { headers: { 'X-Request-Id': `id-${round}` } });
      await fetch(`${gateway.url}${HEALTH}?x=${round}`);
      await wrong();
    }
    const header = await signedHeader(gateway.url + HEALTH, {}, signer);
    await fetch(gateway.url + HEALTH, { headers: { 'SIGN-IN-WITH-X': header } });
    const { text, size } = await scrape(gateway.gateway);
    // A status that is seen for the first time may add the buckets of one histogram.
    expect(size - before).toBeLessThan(ROUNDS);
    expect(secretsIn(text)).toEqual([]);
    for (const secret of [CANARY_KEY, CANARY_SECRET, signer.address, '127.0.0.1']) expect(text).not.toContain(secret);
  });
});

const elsewhere = Object.values(networkInterfaces())
  .flat()
  .find((each) => each?.family === 'IPv4' && !each.internal)?.address;

/** Asks with a Host of our own, which fetch would not send. */
async function askAs(host: string, url: URL) {
  const [response] = (await once(request(url, { headers: { host } }).end(), 'response')) as [IncomingMessage];
  return { status: response.statusCode, text: await text(response) };
}
const metricsOf = async (variables: Record<string, string>): Promise<URL> =>
  new URL((await startTestGateway({ METRICS_PORT: '0', ...variables })).gateway.metricsUrl ?? '');

const url = new URL(gateway.gateway.metricsUrl ?? '');

describe('the metrics port on a loopback address', () => {
  it.each([
    ...['rebound.example', 'rebound.example:9464', 'localhost.rebound.example', '127.0.0.1.rebound.example'],
    ...['10.0.0.1', '[::2]', 'localhost:'],
  ])('W38 tells a request for the Host %j nothing, on any path', async (host) => {
    for (const path of ['/metrics', '/', '/console/icon.svg', '/sales', '/history']) {
      const { status, text } = await askAs(host, new URL(path, url));
      expect([path, status, text]).toEqual([path, 403, '']);
    }
  });

  it('W38 tells a request without a Host nothing', async () => {
    const raw = await writeAndRead(Number(url.port), 'GET /metrics HTTP/1.0\r\n\r\n');
    expect(statusOf(raw)).toBe(403);
    expect(raw).not.toContain('asset_gateway');
  });

  const LOOPBACK = ['localhost', 'LOCALHOST:1', '127.0.0.1', '127.0.0.2:9464', '[::1]:9464'];
  it.each(LOOPBACK)('W38 answers the loopback name or address %s', async (host) => {
    const { status, text } = await askAs(host, url);
    expect([status, text.includes('asset_gateway_ready')]).toEqual([200, true]);
  });

  it('W38 is also one that METRICS_HOST names by a name', async () => {
    const named = await metricsOf({ METRICS_HOST: 'localhost' });
    expect((await askAs('rebound.example', named)).status).toBe(403);
    expect((await askAs('localhost', named)).status).toBe(200);
  });
});

describe('the metrics port on another address', () => {
  it.runIf(elsewhere)('W38 answers scrapers by any name of its service, from near and far', async () => {
    const url = await metricsOf({ METRICS_HOST: '0.0.0.0' });
    for (const address of ['127.0.0.1', elsewhere ?? '']) {
      const near = new URL(`http://${address}:${url.port}/metrics`);
      for (const host of ['gateway:9464', 'gateway.monitoring.svc', address])
        expect([address, host, (await askAs(host, near)).status]).toEqual([address, host, 200]);
    }
  });
});
