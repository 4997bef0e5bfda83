import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { browserSuite, openBrowser } from '../kit/chromium.ts';
import { stopAfterTests } from '../kit/stop-after-tests.ts';
import { startTestGateway } from '../kit/test-gateway.ts';

const SEARCH = '/v1/x402/tokens/assets/search?q=sol';
const SNAPSHOTS = '/v1/x402/tokens/assets/market-snapshots';
const PAID = '/v1/x402/solana/mainnet/helius/rpc/getBalance';
const MINT = 'So11111111111111111111111111111111111111112';
const JSON_POST = { method: 'POST', headers: { 'Content-Type': 'application/json' } } as const;

/** An answer, as the page's script saw it. */
interface Seen {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { readonly ok?: boolean; readonly error?: string; readonly issues?: readonly unknown[] };
}

/** Serves the page from an origin of its own. */
async function startPageServer(): Promise<Server> {
  const html = readFileSync('tests/browser/page.html');
  const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end(html));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return server;
}

const gateway = await stopAfterTests(startTestGateway({}, { paid: true }));

browserSuite('C6 a page in a real browser, from another origin', () => {
  let server: Server;
  let page: Page;
  beforeAll(async () => {
    server = await startPageServer();
    page = await (await openBrowser()).newPage();
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await page.waitForFunction('globalThis.ask !== undefined');
  });
  afterAll(() => void server?.close());

  const inPage = (call: string, target: string, init = {}): Promise<unknown> =>
    page.evaluate(`${call}(${JSON.stringify(gateway.url + target)}, ${JSON.stringify(init)})`);
  const askSigned = (target: string, init = {}) =>
    inPage('askSigned', target, init) as Promise<{ challenge: Seen; answer: Seen }>;

  it('C6 reads the challenge from the body, signs it with WebCrypto, and reads answer and headers', async () => {
    const { challenge, answer } = await askSigned(SEARCH);
    expect([challenge.status, challenge.body.error]).toEqual([402, 'sign_in_required']);
    expect(challenge.headers['payment-required']).toBeDefined();
    expect([answer.status, answer.body.ok]).toEqual([200, true]);
    expect(Object.keys(answer.headers)).toEqual(
      expect.arrayContaining(['ratelimit', 'ratelimit-policy', 'replay-nonce', 'x-request-id']),
    );
  });

  it('C6 posts JSON after a preflight', async () => {
    const { answer } = await askSigned(SNAPSHOTS, { ...JSON_POST, body: JSON.stringify({ mints: [MINT] }) });
    expect([answer.status, answer.body.ok]).toEqual([200, true]);
  });

  it('C6 reads a refusal, and what it costs nothing', async () => {
    const before = gateway.upstream.arrivals.length;
    const { answer } = await askSigned(`${SEARCH}&limit=0`);
    expect([answer.status, answer.body.error, answer.body.issues?.length]).toEqual([400, 'invalid_request', 1]);
    expect(gateway.upstream.arrivals).toHaveLength(before);
  });

  it('C6 reads the price of a paid route, and may send a payment like the official client', async () => {
    const body = JSON.stringify({ params: [MINT] });
    const unpaid = (await inPage('ask', PAID, { ...JSON_POST, body })) as Seen;
    expect([unpaid.status, unpaid.body.error]).toEqual([402, 'payment_required']);
    const headers = {
      ...JSON_POST.headers,
      'PAYMENT-SIGNATURE': 'e30=',
      'Access-Control-Expose-Headers': 'PAYMENT-RESPONSE',
    };
    const paid = (await inPage('ask', PAID, { ...JSON_POST, headers, body })) as Seen;
    expect([paid.status, paid.body.error]).toEqual([402, 'payment_malformed']);
    expect(gateway.solana?.mainnet.transfers).toHaveLength(0);
  });
});
