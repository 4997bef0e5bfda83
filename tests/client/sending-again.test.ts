import type { ServerResponse } from 'node:http';
import { createClient, type GatewayClient } from '@asset-gateway/client';
import { newKeypair, signerFromBytes } from '@asset-gateway/client/node';
import { payWith } from '@asset-gateway/client/pay';
import { HEADERS, NETWORKS } from '@asset-gateway/protocol';
import { afterAll, describe, expect, it } from 'vitest';
import { startChain } from '../../packages/sandbox/src/chain/chain.ts';
import { json, startStrangeGateway } from '../kit/strange-gateway.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { asking as bodyWith, catalogWith, payTo, refusal, requirement } from './offers.ts';

const ACCOUNT = 'So11111111111111111111111111111111111111112';
const keypair = newKeypair();
const signer = signerFromBytes(keypair);

const gateway = await startStrangeGateway();
const chain = await startChain({ cluster: 'mainnet' });
await chain.fundUsdc(signer.address, 1_000_000n);
afterAll(() => chain.close());

const AT_ONCE = { 'Retry-After': '0' };
const CATALOG = '/v1/catalog';
/** Answers one request. */
type Reply = (response: ServerResponse) => void;
const busy =
  (status: number, code: string, headers = {}): Reply =>
  (response) =>
    json(response, status, refusal(code), headers);
const asking =
  (...accepts: unknown[]): Reply =>
  (response) =>
    json(response, 402, bodyWith(accepts));
const done: Reply = (response) => json(response, 200, { ok: true, result: {} });
const lost: Reply = (response) => void response.destroy();
const cut: Reply = (response) => {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '100' });
  response.write('{"ok":', () => response.destroy());
};

/** Sets the next replies, after which every answer is an empty result. The catalog lists RPC methods at $1 a call. */
function play(...replies: Reply[]): void {
  gateway.answer(({ path }, response) => {
    if (path === CATALOG) json(response, 200, catalogWith('1'));
    else (replies.shift() ?? done)(response);
  });
}

/** The headers of the received requests. */
const requests = () => gateway.arrivals.flatMap(({ path, headers }) => (path === CATALOG ? [] : [headers]));
const free = () => createClient({ baseUrl: gateway.url, signer }).system.openapi();
const paid = (settings = {}) =>
  createClient({
    baseUrl: gateway.url,
    signer,
    pay: payWith({ wallet: keypair, rpcUrl: chain.url }),
    ...settings,
  }).rpc.getBalance(ACCOUNT);

/** The received payments. */
const payments = (): unknown[] => requests().flatMap((headers) => headers[HEADERS.payment.toLowerCase()] ?? []);

describe('a request is retried', () => {
  it.each([
    ['408', busy(408, 'request_timeout')],
    ['429 with Retry-After', busy(429, 'rate_limited', AT_ONCE)],
    ['503 with Retry-After', busy(503, 'overloaded', AT_ONCE)],
  ])('after a %s', async (_, reply) => {
    play(reply, reply);
    await free();
    expect(requests()).toHaveLength(3);
  });

  it('three times; the fourth refusal is the answer', async () => {
    const reply = busy(503, 'overloaded', AT_ONCE);
    play(reply, reply, reply, reply, reply);
    await expect(free()).rejects.toMatchObject({ code: 'overloaded', status: 503, requestId: 'r-1' });
    expect(requests()).toHaveLength(4);
  });
});

describe('a request is not retried', () => {
  it.each([
    [400, '', busy(400, 'invalid_request', AT_ONCE)],
    [429, ' without Retry-After', busy(429, 'rate_limited')],
    [502, '', busy(502, 'upstream_error', AT_ONCE)],
    [503, ' whose Retry-After exceeds the timeout', busy(503, 'overloaded', { 'Retry-After': '31' })],
  ])('after a %i%s', async (status, _, reply) => {
    play(reply);
    await expect(free()).rejects.toMatchObject({ status });
    expect(requests()).toHaveLength(1);
  });

  it.each<[string, Reply]>([
    ['nothing answers', lost],
    ['the answer breaks off', cut],
  ])('when %s', async (_, reply) => {
    play(reply);
    await expect(free()).rejects.toMatchObject({ name: 'GatewayError', code: 'unreachable' });
    expect(requests()).toHaveLength(1);
  });
});

describe('a payment is resent, never signed again', () => {
  it.each<[string, Reply]>([
    ['its answer is lost', lost],
    ['its answer breaks off', cut],
    ['the gateway is settling it', busy(409, 'payment_in_progress', AT_ONCE)],
    ['its outcome is unknown', busy(503, 'settlement_pending', AT_ONCE)],
    ['its payer is busy', busy(429, 'rate_limited', AT_ONCE)],
  ])('while %s', async (_, reply) => {
    play(asking(requirement()), reply, reply);
    await paid();
    expect([payments().length, new Set(payments()).size]).toEqual([3, 1]);
  });

  it.each<[string, Reply, number]>([
    ['is refused', asking(requirement()), 402],
    ['is answered with a higher price', asking(requirement({ amount: '9000' })), 402],
    ['was used before', busy(409, 'payment_already_used'), 409],
    ['has bought nothing, as the upstream failed', busy(502, 'upstream_error'), 502],
  ])('but is not resent when it %s', async (_, reply, status) => {
    play(asking(requirement()), reply);
    await expect(paid()).rejects.toMatchObject({ name: 'GatewayError', status });
    expect([payments().length, requests().length]).toEqual([1, 2]);
  });

  it.each<[string, Reply]>([
    ['every answer is lost', lost],
    ['no answer comes', () => undefined],
  ])('until the timeout; if %s, the error tells to resend it', async (_, reply) => {
    play(asking(requirement()), ...Array<Reply>(30).fill(reply));
    await expect(paid({ timeoutMs: 1500 })).rejects.toMatchObject({
      code: 'payment_unknown',
      payment: { state: 'in_progress' },
      cause: { code: 'timeout' },
    });
    expect(new Set(payments()).size).toBe(1);
  });
});

describe('a cap', () => {
  // 0.000249 times a million is a little less than 249.
  it.each([
    [249, 1],
    [250, 0],
  ])('of $0.000249, set in any way, allows a payment of %i millionths %i times', async (micros, times) => {
    for (const options of [
      { caps: { perCallUsd: 0.000249 } },
      { caps: { perDayUsd: 0.000249 } },
      { maxUsd: 0.000249 },
    ]) {
      play(asking(requirement({ amount: String(micros) })));
      const { maxUsd, caps } = { maxUsd: 1, caps: {}, ...options };
      const call = paid({ maxUsd, pay: payWith({ wallet: keypair, rpcUrl: chain.url, caps }) });
      const code = await Promise.resolve(call).then(
        () => 'paid',
        ({ code }: { code: string }) => code,
      );
      expect([code, payments().length]).toEqual([times === 1 ? 'paid' : 'spending_limit', times]);
    }
  });
});

describe('a hostile gateway gets no payment', () => {
  it.each<[string, Reply, string]>([
    ['asks for more than the cap', asking(requirement({ amount: '10001' })), 'spending_limit'],
    ['names the payer as fee payer', asking(requirement({ extra: { feePayer: signer.address } })), 'payment_mismatch'],
    ['asks for another token', asking(requirement({ asset: payTo })), 'nothing_payable'],
  ])('if it %s', async (_, reply, code) => {
    play(reply);
    await expect(paid()).rejects.toMatchObject({ code });
    expect([payments(), requests().length]).toEqual([[], 1]);
  });

  it('and only four requests, if it asks for signatures endlessly', async () => {
    const place = { domain: new URL(gateway.url).host, uri: gateway.url };
    const info = { ...place, version: '1', nonce: '0'.repeat(32), issuedAt: '2026-11-20T12:00:00Z' };
    const challenge = { info, supportedChains: [{ chainId: NETWORKS.mainnet, type: 'ed25519' }] };
    const body = { ...refusal('sign_in_required'), extensions: { 'sign-in-with-x': challenge } };
    play(...Array<Reply>(30).fill((response) => json(response, 402, body)));
    const call = createClient({ baseUrl: gateway.url, signer }).tokens.health();
    await expect(call).rejects.toMatchObject({ code: 'sign_in_required', status: 402 });
    expect(requests()).toHaveLength(4);
  });
});

describe('the shared budget of free routes', () => {
  /** The statuses of calls of these clients, one after another, to a gateway with this budget. */
  async function statusesWith(limit: string, clients: (url: string) => readonly GatewayClient[]): Promise<number[]> {
    const real = await startTestGateway({ TOKENS_RATE_LIMIT_PER_MINUTE: limit }, { windowMs: 1000 });
    for (const client of clients(real.url)) await client.tokens.search({ q: 'sol' });
    await real.stop();
    return real.logLines.map((line) => (JSON.parse(line) as { status: number }).status);
  }
  const open = (baseUrl: string) => createClient({ baseUrl, signer });

  it('delays a call while the last answer shows that it is used up', async () => {
    expect(await statusesWith('2', (url) => Array(4).fill(open(url)))).toEqual([402, 200, 200, 200, 200]);
  });

  it('leads to a retry after a 429, with the same signature', async () => {
    expect(await statusesWith('1', (url) => [open(url), open(url)])).toEqual([402, 200, 402, 429, 200]);
  });
});
