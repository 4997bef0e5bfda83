import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { CANARY_KEY, startTestGateway, type TestGateway, WITHOUT_BREAKER } from '../kit/test-gateway.ts';
import { askSigned } from '../kit/wallet.ts';

/** An upstream that writes raw bytes to whoever connects and sends something. */
async function rawUpstream(answer: (socket: Socket) => void): Promise<{ server: Server; url: string }> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', () => answer(socket));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return { server, url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}` };
}

const head = (headers: string, body: string): string => `HTTP/1.1 200 OK\r\n${headers}\r\n\r\n${body}`;

describe('an upstream that answers with', () => {
  let gateway: TestGateway | undefined;
  let upstream: { server: Server; url: string } | undefined;

  afterEach(async () => {
    await gateway?.stop();
    upstream?.server.close();
  });

  async function ask(answer: (socket: Socket) => void, count = 1): Promise<string[]> {
    upstream = await rawUpstream(answer);
    gateway = await startTestGateway(
      { TOKENS_API_BASE_URL: upstream.url, UPSTREAM_TIMEOUT_MS: '2000' },
      WITHOUT_BREAKER,
    );
    const url = `${gateway.url}/v1/x402/tokens/assets/solana`;
    const answers = await Promise.all(Array.from({ length: count }, () => askSigned(url)));
    const texts = await Promise.all(answers.map((response) => response.text()));
    for (const text of texts) expect(text).not.toContain(CANARY_KEY);
    expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200);
    return texts.map((text) => (JSON.parse(text) as { error: string }).error);
  }

  it('a content encoding that is the name of a built-in is upstream_invalid_response, and the gateway lives', async () => {
    const headers = 'Content-Type: application/json\r\nContent-Encoding: constructor\r\nContent-Length: 2';
    expect(await ask((socket) => socket.write(head(headers, '{}')))).toEqual(['upstream_invalid_response']);
  });

  it('something that is not HTTP is upstream_invalid_response, and the gateway lives', async () => {
    expect(await ask((socket) => socket.write('garbage\r\n\r\n'))).toEqual(['upstream_invalid_response']);
  });

  it('a page without an end, on every connection, is upstream_invalid_response, also for later requests', async () => {
    const page = 'Content-Type: text/html\r\nTransfer-Encoding: chunked';
    const errors = await ask((socket) => socket.write(head(page, '5\r\nhello\r\n')), 64);
    expect(new Set(errors)).toEqual(new Set(['upstream_invalid_response']));
    const again = await askSigned(`${gateway?.url}/v1/x402/tokens/assets/solana`);
    expect(((await again.json()) as { error: string }).error).toBe('upstream_invalid_response');
  });

  it('U13 our key in an error, plain, in base64 or in hex, does not get it to the client', async () => {
    const spellings = [CANARY_KEY, Buffer.from(CANARY_KEY).toString('base64'), Buffer.from(CANARY_KEY).toString('hex')];
    for (const spelling of spellings) {
      const body = JSON.stringify({ message: `bad key ${spelling}` });
      const headers = `Content-Type: application/json\r\nContent-Length: ${body.length}`;
      upstream = await rawUpstream((socket) => socket.write(`HTTP/1.1 400 Bad Request\r\n${headers}\r\n\r\n${body}`));
      gateway = await startTestGateway({ TOKENS_API_BASE_URL: upstream.url });
      const answer = await askSigned(`${gateway.url}/v1/x402/tokens/assets/solana`);
      expect(answer.status).toBe(400);
      expect(await answer.text()).not.toContain(spelling);
      await gateway.stop();
      upstream.server.close();
    }
    gateway = undefined;
  });

  it('U13 our key in a result is upstream_invalid_response, and does not get to the client', async () => {
    const body = JSON.stringify({ echoed: { 'x-api-key': CANARY_KEY } });
    const headers = `Content-Type: application/json\r\nContent-Length: ${body.length}`;
    expect(await ask((socket) => socket.write(head(headers, body)))).toEqual(['upstream_invalid_response']);
  });
});
