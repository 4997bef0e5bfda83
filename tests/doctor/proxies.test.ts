import { examine } from '@asset-gateway/doctor';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { freePort } from '../http/ports.ts';
import { startConnectProxy } from '../kit/connect-proxy.ts';
import { startTestGateway } from '../kit/test-gateway.ts';

const ORIGIN = 'http://gateway.test';
const port = await freePort();
const gateway = await startTestGateway({ GATEWAY_BASE_URL: ORIGIN, PORT: String(port) });
const proxy = await startConnectProxy((name) => (name === 'gateway.test' ? port : undefined));

afterEach(() => {
  proxy.tunnels.length = 0;
  vi.unstubAllEnvs();
});

/** The proxies of this machine, which the tests replace. */
function setProxy(variables: Readonly<Record<string, string>>): void {
  for (const name of ['HTTP_PROXY', 'http_proxy', 'NO_PROXY', 'no_proxy']) vi.stubEnv(name, variables[name]);
}

describe('the doctor behind a proxy', () => {
  it('reaches a gateway through HTTP_PROXY', async () => {
    setProxy({ HTTP_PROXY: `http://127.0.0.1:${proxy.port}` });
    const { findings } = await examine(ORIGIN);
    expect(findings.map(({ problem }) => problem)).toEqual(['signatures and payments are sent in clear text']);
    expect(new Set(proxy.tunnels.map(({ target }) => target))).toEqual(new Set(['gateway.test:80']));
    expect(gateway.upstream.arrivals).toEqual([]);
  });

  it.each([
    ['a host of NO_PROXY', ORIGIN, 'gateway.test'],
    ['this machine', 'http://localhost:1', ''],
  ])('reaches %s directly', async (_, origin, NO_PROXY) => {
    setProxy({ HTTP_PROXY: `http://127.0.0.1:${proxy.port}`, NO_PROXY });
    await expect(examine(origin)).rejects.toThrow('does not answer');
    expect(proxy.tunnels).toEqual([]);
  });
});
