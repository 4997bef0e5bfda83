import type { Environment } from '@asset-gateway/gateway';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { proxyFor, useProxies } from '../../packages/gateway/src/proxies.ts';
import { faultsOf } from '../config/faults.ts';
import { startConnectProxy } from '../kit/connect-proxy.ts';
import { startChains, startSellingGateway, startTestGateway, startUpstream } from '../kit/test-gateway.ts';
import { buys, callOf, paymentFor } from '../payments/calls.ts';
import { openRemoteFixture } from '../payments/fault-facilitator.ts';
import { openWallet } from '../payments/wallets.ts';
import { startReceiver } from '../traces/receiver.ts';
import { Caller, HEALTH } from './caller.ts';

const ports = new Map<string, number>();
const proxy = await startConnectProxy((name) => ports.get(name));
afterEach(() => {
  proxy.tunnels.length = 0;
  proxy.status = 200;
});

/** The URL of a server of this machine under a name that only the proxy knows. */
function named(name: string, url: string): string {
  const { port, pathname, search } = new URL(url);
  ports.set(name, Number(port));
  return `http://${name}${pathname.replace(/\/$/, '')}${search}`;
}

const PASSWORD = 'CANARY-proxy-pass%40word';
const PROXY = `http://someone:${PASSWORD}@127.0.0.1:${proxy.port}`;
const AUTHORIZATION = `Basic ${Buffer.from('someone:CANARY-proxy-pass@word').toString('base64')}`;
const targets = () => [...new Set(proxy.tunnels.map(({ target }) => target))].sort();

const upstream = await startUpstream();
const free = (variables: Environment) =>
  startTestGateway({ TOKENS_API_BASE_URL: named('tokens.test', upstream.url), ...variables }, { upstream });

describe('HTTP_PROXY', () => {
  it("carries an upstream's calls, with the proxy's user and password, which no output shows", async () => {
    const gateway = await free({ HTTP_PROXY: PROXY });
    expect((await new Caller(gateway).ask({ target: HEALTH })).status).toBe(200);
    expect(proxy.tunnels).toEqual([{ target: 'tokens.test:80', authorization: AUTHORIZATION }]);
    const log = gateway.logLines.join('');
    expect(log).toContain(
      `HTTP_PROXY: http requests to other hosts than those of NO_PROXY go through 127.0.0.1:${proxy.port}`,
    );
    expect(log).not.toContain('CANARY');
  });

  it('that opens no tunnel is named in the log, and no request is sent', async () => {
    const gateway = await free({ HTTP_PROXY: PROXY });
    proxy.status = 407;
    const before = upstream.arrivals.length;
    const answer = await new Caller(gateway).ask({ target: HEALTH });
    expect([answer.status, answer.json.error]).toEqual([502, 'upstream_unreachable']);
    expect(answer.text).not.toContain('proxy');
    expect(gateway.logLines.at(-1)).toContain('the proxy answers 407');
    expect(upstream.arrivals.length).toBe(before);
  });

  it('is not used for a host of NO_PROXY, and never for this machine', async () => {
    for (const variables of [{ NO_PROXY: 'a.test,tokens.test' }, { no_proxy: '*' }]) {
      const gateway = await free({ HTTP_PROXY: PROXY, ...variables });
      expect((await new Caller(gateway).ask({ target: HEALTH })).json.error).toBe('upstream_unreachable');
    }
    const near = await startTestGateway({ HTTP_PROXY: PROXY, http_proxy: PROXY });
    expect((await new Caller(near).ask({ target: HEALTH })).status).toBe(200);
    expect(proxy.tunnels).toEqual([]);
  });

  it("carries the requests of a sale, to the sold RPC and to the chain's", async () => {
    const solana = await startChains();
    const variables: Record<string, string> = { HTTP_PROXY: PROXY };
    for (const [name, value] of Object.entries(solana.variables))
      if (/_(?:RPC|BASE)_URL$/.test(name))
        variables[name] = named(`${name.toLowerCase().replaceAll('_', '-')}.test`, value ?? '');
    const gateway = await startSellingGateway(variables, { solana });
    const call = callOf('rpc.mainnet.helius.getBalance');
    await buys(gateway, call, await paymentFor(gateway, call, await openWallet(solana)));
    for (const host of ['helius-mainnet-rpc-url.test:80', 'solana-mainnet-rpc-url.test:80'])
      expect(targets()).toContain(host);
  });

  it('carries the calls of a facilitator', async () => {
    const { facilitatorUrl } = await openRemoteFixture();
    const gateway = await startSellingGateway({
      FACILITATOR_URL: named('facilitator.test', facilitatorUrl),
      HTTP_PROXY: PROXY,
      FEE_PAYER_KEYPAIR: '',
    });
    await vi.waitFor(() => expect(targets()).toContain('facilitator.test:80'));
    await gateway.stop();
  });

  it('carries the spans to a collector', async () => {
    const receiver = await startReceiver();
    const endpoint = named('collector.test', receiver.url);
    const gateway = await startTestGateway({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, HTTP_PROXY: PROXY });
    await fetch(`${gateway.url}/healthz`);
    await gateway.stop();
    expect(receiver.requests).toHaveLength(1);
    expect(proxy.tunnels).toEqual([{ target: 'collector.test:80', authorization: AUTHORIZATION }]);
  });
});

it('HTTPS_PROXY carries https alone, by a tunnel to port 443', async () => {
  const gateway = await startTestGateway(
    { TOKENS_API_BASE_URL: 'https://tokens.test', HTTPS_PROXY: PROXY },
    { upstream },
  );
  expect((await new Caller(gateway).ask({ target: HEALTH })).status).toBe(502);
  expect(targets()).toEqual(['tokens.test:443']);
  const plain = await free({ HTTPS_PROXY: PROXY });
  await new Caller(plain).ask({ target: HEALTH });
  expect(targets()).toEqual(['tokens.test:443']);
});

describe('NO_PROXY', () => {
  afterEach(() => useProxies(undefined));

  it.each([
    ['example.test', 'http://example.test/', true],
    ['example.test', 'http://a.example.test/', true],
    ['.example.test', 'http://a.example.test/', true],
    ['*.example.test', 'http://A.Example.test/', true],
    ['example.test', 'http://notexample.test/', false],
    ['example.test:8080', 'http://example.test:8080/', true],
    ['example.test:8080', 'http://example.test/', false],
    ['example.test:80', 'http://example.test/', true],
    ['10.0.0.1', 'http://10.0.0.1/', true],
    ['[2001:db8::1]', 'http://[2001:db8::1]:81/', true],
    ['[2001:db8::1]:80', 'http://[2001:db8::1]:81/', false],
    ['*', 'http://anything.test/', true],
    ['', 'http://localhost/', true],
    ['', 'http://127.9.9.9/', true],
    ['', 'http://[::1]/', true],
  ])('%s: %s is reached directly: %s', (entry, url, isDirect) => {
    useProxies({ http: PROXY, direct: [entry] });
    expect(proxyFor(new URL(url)) === undefined).toBe(isDirect);
  });
});

it.each([
  'socks5://proxy.test',
  'http://',
  'http://proxy.test/path',
  'http://a:%@proxy.test',
  'http://a%zz@proxy.test',
])('a proxy of %s is a fault that does not repeat it', (url) => {
  for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'https_proxy'])
    expect(faultsOf({ TOKENS_API_KEY: 'key', [name]: url })).toEqual([
      `${name.toUpperCase()} must be a URL such as http://user:password@proxy.example:3128.`,
    ]);
});
