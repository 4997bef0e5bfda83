import { createClient } from '@asset-gateway/client';
import { newKeypair, signerFromBytes } from '@asset-gateway/client/node';
import { payWith } from '@asset-gateway/client/pay';
import { HEADERS, NETWORKS, USDC } from '@asset-gateway/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Chain, startChain } from '../../packages/sandbox/src/chain/chain.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
// Sets up this process so that x402's RPC client can be used beside the gateway.
import '../payments/wallets.ts';
import { type Reply, refusal, type ScriptedGateway, startScriptedGateway } from './scripted.ts';

const ACCOUNT = 'So11111111111111111111111111111111111111112';
const keypair = newKeypair();
const signer = signerFromBytes(keypair);
const [payTo, feePayer] = [signerFromBytes(newKeypair()).address, signerFromBytes(newKeypair()).address];

let gateway: ScriptedGateway;
let chain: Chain;
beforeAll(async () => {
  gateway = await startScriptedGateway();
  chain = await startChain({ cluster: 'mainnet' });
  await chain.fundUsdc(signer.address, 1_000_000n);
});
afterAll(async () => {
  await gateway.close();
  await chain.close();
});

const AT_ONCE = { 'Retry-After': '0' };
const busy = (status: number, code: string, headers = {}): Reply => ({ status, body: refusal(code), headers });
const requirement = (change: object = {}) => ({
  scheme: 'exact',
  network: NETWORKS.mainnet,
  amount: '5',
  asset: USDC.mainnet,
  payTo,
  maxTimeoutSeconds: 60,
  extra: { feePayer, memo: 'x'.repeat(32) },
  ...change,
});
const asking = (...accepts: unknown[]): Reply => ({
  status: 402,
  body: { ...refusal('payment_required'), x402Version: 2, resource: { url: 'http://x/' }, accepts, extensions: {} },
});

const free = () => createClient({ baseUrl: gateway.url, signer }).system.openapi();
const paid = (settings = {}) =>
  createClient({
    baseUrl: gateway.url,
    signer,
    pay: payWith({ wallet: keypair, rpcUrl: chain.url }),
    ...settings,
  }).rpc.getBalance(ACCOUNT);

/** The payments that arrived. */
const payments = (): unknown[] => gateway.requests.flatMap((headers) => headers[HEADERS.payment.toLowerCase()] ?? []);

describe('a request is sent again', () => {
  it.each([
    ['408', busy(408, 'request_timeout')],
    ['429 with Retry-After', busy(429, 'rate_limited', AT_ONCE)],
    ['503 with Retry-After', busy(503, 'overloaded', AT_ONCE)],
  ])('after a %s', async (_, reply) => {
    gateway.play(reply, reply);
    await free();
    expect(gateway.requests).toHaveLength(3);
  });

  it('three times, and the fourth refusal is the answer', async () => {
    const reply = busy(503, 'overloaded', AT_ONCE);
    gateway.play(reply, reply, reply, reply, reply);
    await expect(free()).rejects.toMatchObject({ code: 'overloaded', status: 503, requestId: 'r-1' });
    expect(gateway.requests).toHaveLength(4);
  });
});

describe('a request is not sent again', () => {
  it.each([
    ['400', busy(400, 'invalid_request', AT_ONCE)],
    ['429 without Retry-After', busy(429, 'rate_limited')],
    ['502', busy(502, 'upstream_error', AT_ONCE)],
    ['503 whose Retry-After is longer than the call may take', busy(503, 'overloaded', { 'Retry-After': '31' })],
  ])('after a %s', async (_, reply) => {
    gateway.play(reply);
    await expect(free()).rejects.toMatchObject({ status: reply.status });
    expect(gateway.requests).toHaveLength(1);
  });

  it.each<[string, Reply]>([
    ['nothing answers', { isLost: true }],
    ['the answer breaks off', { isCut: true }],
  ])('when %s', async (_, reply) => {
    gateway.play(reply);
    await expect(free()).rejects.toMatchObject({ name: 'GatewayError', code: 'unreachable' });
    expect(gateway.requests).toHaveLength(1);
  });
});

describe('a payment is sent again and never made anew', () => {
  it.each<[string, Reply]>([
    ['its answer is lost', { isLost: true }],
    ['its answer breaks off', { isCut: true }],
    ['it is being settled', busy(409, 'payment_in_progress', AT_ONCE)],
    ['its outcome is not known', busy(503, 'settlement_pending', AT_ONCE)],
    ['its payer is busy', busy(429, 'rate_limited', AT_ONCE)],
  ])('while %s', async (_, reply) => {
    gateway.play(asking(requirement()), reply, reply);
    await paid();
    expect([payments().length, new Set(payments()).size]).toEqual([3, 1]);
  });

  it.each<[string, Reply]>([
    ['is refused', asking(requirement())],
    ['was asked for more the second time', asking(requirement({ amount: '9000' }))],
    ['was used before', busy(409, 'payment_already_used')],
    ['has bought nothing, as the upstream failed', busy(502, 'upstream_error')],
  ])('and is not sent again when it %s', async (_, reply) => {
    gateway.play(asking(requirement()), reply);
    await expect(paid()).rejects.toMatchObject({ name: 'GatewayError', status: reply.status });
    expect([payments().length, gateway.requests.length]).toEqual([1, 2]);
  });

  it.each<[string, Reply]>([
    ['every answer is lost', { isLost: true }],
    ['no answer comes', { isSilent: true }],
  ])('and when the time is over while %s, the error says that it is to be sent again', async (_, reply) => {
    gateway.play(asking(requirement()), ...Array<Reply>(30).fill(reply));
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
  ])('of $0.000249, however it is told, takes %i millionths %i times', async (micros, times) => {
    for (const options of [
      { caps: { perCallUsd: 0.000249 } },
      { caps: { perDayUsd: 0.000249 } },
      { maxUsd: 0.000249 },
    ]) {
      gateway.play(asking(requirement({ amount: String(micros) })));
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

describe('a hostile gateway gets nothing', () => {
  it.each<[string, Reply, string]>([
    ['asks more than a call may cost', asking(requirement({ amount: '10001' })), 'spending_limit'],
    [
      'wants the payer to pay the fee',
      asking(requirement({ extra: { feePayer: signer.address } })),
      'payment_mismatch',
    ],
    ['sells in another coin', asking(requirement({ asset: payTo })), 'nothing_payable'],
    ['is none', { status: 402, body: 'pay me' }, 'not_a_gateway'],
  ])('that %s', async (_, reply, code) => {
    gateway.play(reply);
    await expect(paid()).rejects.toMatchObject({ code });
    expect([payments(), gateway.requests.length]).toEqual([[], 1]);
  });

  it('that asks for a signature which would be good elsewhere', async () => {
    const info = { domain: 'other.example', uri: 'https://other.example/', version: '1', nonce: '0'.repeat(32) };
    const challenge = { info, supportedChains: [{ chainId: NETWORKS.mainnet, type: 'ed25519' }] };
    gateway.play({
      status: 402,
      body: { ...refusal('sign_in_required'), extensions: { 'sign-in-with-x': challenge } },
    });
    const call = createClient({ baseUrl: gateway.url, signer }).tokens.health();
    await expect(call).rejects.toMatchObject({ code: 'challenge_rejected' });
    expect(gateway.requests).toHaveLength(1);
  });

  it('but four requests, when it asks for signatures without end', async () => {
    const { host } = new URL(gateway.url);
    const info = {
      domain: host,
      uri: gateway.url,
      version: '1',
      nonce: '0'.repeat(32),
      issuedAt: '2026-11-20T12:00:00Z',
    };
    const challenge = { info, supportedChains: [{ chainId: NETWORKS.mainnet, type: 'ed25519' }] };
    const reply = {
      status: 402,
      body: { ...refusal('sign_in_required'), extensions: { 'sign-in-with-x': challenge } },
    };
    gateway.play(...Array<Reply>(30).fill(reply));
    const call = createClient({ baseUrl: gateway.url, signer }).tokens.health();
    await expect(call).rejects.toMatchObject({ code: 'sign_in_required', status: 402 });
    expect(gateway.requests).toHaveLength(4);
  });
});

describe('the budget that all callers share', () => {
  it('is waited for, as the headers of the answer before tell, instead of asked for in vain', async () => {
    const real = await startTestGateway({ TOKENS_RATE_LIMIT_PER_MINUTE: '2' }, { windowMs: 1000 });
    try {
      const client = createClient({ baseUrl: real.url, signer });
      for (let call = 0; call < 4; call++) await client.tokens.search({ q: 'sol' });
      const statuses = real.logLines.map((line) => (JSON.parse(line) as { status: number }).status);
      expect(statuses).toEqual([402, 200, 200, 200, 200]);
    } finally {
      await real.stop();
    }
  });

  it('is asked for again after a 429, with the same signature', async () => {
    const real = await startTestGateway({ TOKENS_RATE_LIMIT_PER_MINUTE: '1' }, { windowMs: 1000 });
    try {
      const [one, other] = [1, 2].map(() => createClient({ baseUrl: real.url, signer }));
      await one?.tokens.search({ q: 'sol' });
      await other?.tokens.search({ q: 'sol' });
      const statuses = real.logLines.map((line) => (JSON.parse(line) as { status: number }).status);
      expect(statuses).toEqual([402, 200, 402, 429, 200]);
    } finally {
      await real.stop();
    }
  });
});
