import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { startEverything } from '../discovery/everything.ts';
import { browserSuite, openBrowser } from '../kit/chromium.ts';
import { startStrangeGateway } from '../kit/strange-gateway.ts';
import { bundleOf } from './bundle.ts';
import { openCustomer } from './kit.ts';

const ACCOUNT = 'So11111111111111111111111111111111111111112';

/** The page's program: the library. */
const PROGRAM = `
  import * as library from '@asset-gateway/client';
  globalThis.library = library;
`;

const site = await startStrangeGateway();
const gateway = await startEverything();
const selling = await startEverything({ CREDIT: 'on' });

browserSuite('C6 a page of another origin, in a real browser', () => {
  let page: Page;
  beforeAll(async () => {
    const { code, chunks } = await bundleOf(PROGRAM);
    const files = new Map([...chunks, ['program.js', code]]);
    site.answer(({ path }, response) => {
      const file = files.get(path.slice(1));
      response.setHeader('content-type', file === undefined ? 'text/html' : 'text/javascript');
      response.end(file ?? '<!doctype html><title>A page</title><script type="module" src="/program.js"></script>');
    });
    page = await (await openBrowser()).newPage();
    await page.goto(site.url);
    await page.waitForFunction('globalThis.library !== undefined');
  });

  /** Runs code in the page; `url` is the gateway. */
  const inPage = (program: string, url = gateway.url): Promise<unknown> =>
    page.evaluate(`(async () => { const url = ${JSON.stringify(url)}; ${program} })()`);

  it('C6 signs with a non-extractable WebCrypto key: 402, 200, 200', async () => {
    const before = gateway.logLines.length;
    const result = await inPage(`
      const pair = await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify']);
      const client = library.createFreeClient({ baseUrl: url, signer: library.signerFromKeyPair(pair) });
      const { query } = await client.tokens.search({ q: 'gold' });
      const { result } = await client.tokens.marketSnapshots({ mints: ['${ACCOUNT}'] }).full();
      return [pair.privateKey.extractable, query, typeof result];
    `);
    expect(result).toEqual([false, 'gold', 'object']);
    const statuses = gateway.logLines.slice(before).map((line) => (JSON.parse(line) as { status: number }).status);
    // Without preflights.
    expect(statuses.filter((status) => status !== 204)).toEqual([402, 200, 200]);
  });

  it('C6 reads issues and the 402 of a paid route', async () => {
    const result = await inPage(`
      const client = library.createClient({ baseUrl: url });
      const codes = [client.tokens.search({ q: 'x', limit: 0 }), client.rpc.getBalance('${ACCOUNT}')];
      return Promise.all(codes.map((call) => call.catch(({ code, status, issues, requestId }) => [code, status, issues.length, typeof requestId])));
    `);
    expect(result).toEqual([
      ['invalid_request', 400, 1, 'string'],
      ['payment_required', 402, 0, 'string'],
    ]);
  });

  it('C6 reads the headers of a challenge, and may send a payment like the official client', async () => {
    const seen = await inPage(`
      const [free, paid] = ['/v1/x402/tokens/health', '/v1/x402/solana/mainnet/helius/rpc/getBalance'].map((path) => url + path);
      const headers = { 'Content-Type': 'application/json', 'PAYMENT-SIGNATURE': 'e30=', 'Access-Control-Expose-Headers': 'PAYMENT-RESPONSE' };
      const answer = await fetch(paid, { method: 'POST', headers, body: '{"params":["${ACCOUNT}"]}' });
      const { response } = await library.createClient({ baseUrl: url }).tokens.health().full();
      const names = ['ratelimit', 'ratelimit-policy', 'replay-nonce', 'x-request-id'].filter((name) => response.headers.has(name));
      return [(await fetch(free)).headers.has('payment-required'), names.length, (await answer.json()).error];
    `);
    expect(seen).toEqual([true, 4, 'payment_malformed']);
    expect(gateway.solana.mainnet.transfers).toEqual([]);
  });

  it('spends credit, for which CORS allows `Prefer`', async () => {
    const { client, keypair } = await openCustomer(selling);
    await client.credit.buy();
    const result = await inPage(
      `
      const signer = library.signerFromBytes(Uint8Array.from(${JSON.stringify([...keypair])}));
      const client = library.createClient({ baseUrl: url, signer });
      const first = await client.rpc.getBalance('${ACCOUNT}').full();
      const second = await client.rpc.getBalance('${ACCOUNT}').full();
      return [first.credit, second.credit, typeof second.result.value];
    `,
      selling.url,
    );
    const charged = (balanceMicros: number) => ({ chargedMicros: 5, balanceMicros });
    expect(result).toEqual([charged(49_995), charged(49_990), 'bigint']);
  });
});
