import { createClient } from '@asset-gateway/client';
import { EnvHttpProxyAgent, fetch as fetchThrough } from 'undici';
import { expect, it } from 'vitest';
import { freePort } from '../http/ports.ts';
import { startConnectProxy } from '../kit/connect-proxy.ts';
import { startTestGateway } from '../kit/test-gateway.ts';

const baseUrl = 'http://gateway.test';
const port = await freePort();
await startTestGateway({ GATEWAY_BASE_URL: baseUrl, PORT: String(port) });
const proxy = await startConnectProxy((name) => (name === 'gateway.test' ? port : undefined));

it('a client whose fetch goes through a proxy signs in and gets answers', async () => {
  const dispatcher = new EnvHttpProxyAgent({ httpProxy: `http://127.0.0.1:${proxy.port}`, noProxy: '' });
  const fetchByProxy = (url: string, init: object) => fetchThrough(url, { ...init, dispatcher });
  const client = createClient({ baseUrl, fetch: fetchByProxy as unknown as typeof fetch });
  const { result, response } = await client.tokens.search({ q: 'gold', limit: 1 }).full();
  expect([response.status, result.results[0]?.assetId]).toEqual([200, 'gold']);
  expect(new Set(proxy.tunnels.map(({ target }) => target))).toEqual(new Set(['gateway.test:80']));
  await dispatcher.destroy();
});

it('a client without such a fetch does not reach a gateway whose name only the proxy knows', async () => {
  proxy.tunnels.length = 0;
  await expect(createClient({ baseUrl }).tokens.search({ q: 'gold' })).rejects.toMatchObject({ code: 'unreachable' });
  expect(proxy.tunnels).toEqual([]);
});
