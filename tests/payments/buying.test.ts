import { dollars, HEADERS, NETWORKS, priceMicros, RATES, type Route } from '@asset-gateway/protocol';
import { isPaymentRequired, PaymentRequiredV2Schema } from '@x402/core/schemas';
import { decodePaymentResponseHeader } from '@x402/fetch';
import { afterAll, describe, expect, it } from 'vitest';
import { startSolanaSandbox } from '../../packages/sandbox/src/solana-sandbox.ts';
import type { Example } from '../http/targets.ts';
import { CANARY_PROVIDER_KEY, startSellingGateway } from '../kit/selling-gateway.ts';
import {
  asVersion1,
  bodyOf,
  buys,
  callOf,
  headerOf,
  leaves,
  leavesNoTrace,
  paymentFor,
  ROOMY,
  sampledRoutes,
  send,
  sendPaid,
  transactionOf,
} from './calls.ts';
import { openWallet } from './wallets.ts';

/** One blockhash for all payments. */
const solana = await startSolanaSandbox({ key: CANARY_PROVIDER_KEY, blockMs: Number.POSITIVE_INFINITY });
const gateway = await startSellingGateway(ROOMY, { solana });
const wallet = await openWallet(solana);
afterAll(() => gateway.stop().then(solana.close));

const rows = sampledRoutes.map((row) => [row.id, row] as const);
const priceOf = (row: Route): number => priceMicros(row, { rates: RATES, surchargeMicros: 0 });
const receiptIn = (response: Response, header: string = HEADERS.paymentResponse) =>
  decodePaymentResponseHeader(response.headers.get(header) ?? headerOf(null));

describe('the official client buys', () => {
  it.each(rows)('%s', async (_, row) => {
    const { target, init } = callOf(row);
    const { provider, cluster = 'mainnet', surface, method } = row;
    const chain = solana[cluster];
    const before = await chain.usdcBalance(solana.payTo);
    const response = await leaves(gateway, { transfers: 1, arrivals: 1 }, () =>
      wallet.buy(`${gateway.url}${target}`, init),
    );
    const body = (await response.json()) as Record<string, unknown>;
    expect([response.status, body.error]).toEqual([200, undefined]);
    expect(Object.keys(body)).toEqual(['ok', 'provider', 'cluster', 'surface', 'method', 'priceUsd', 'result']);
    const micros = priceOf(row);
    expect(body).toMatchObject({ ok: true, provider, cluster, surface, method, priceUsd: dollars(micros) });
    expect((await chain.usdcBalance(solana.payTo)) - before).toBe(BigInt(micros));
    const transfer = chain.transfers.at(-1);
    expect(transfer).toMatchObject({ from: wallet.address, to: solana.payTo, amount: BigInt(micros) });
    const { signature: transaction } = transfer ?? {};
    const receipt = { success: true, transaction, network: NETWORKS[cluster], payer: wallet.address };
    expect(receiptIn(response)).toEqual(receipt);
    expect(response.headers.get(HEADERS.version1PaymentResponse)).toBeNull();
    expect(response.headers.get(HEADERS.replayed)).toBeNull();
    expect(response.headers.get('cache-control')).toBe('private, no-store');
  });

  it('at a price with a surcharge, which is asked for, paid and shown', async () => {
    const dear = await startSellingGateway({ PRICE_SURCHARGE_USD_MICROS: '600' }, { solana });
    const { target, init } = callOf('wallet.mainnet.helius.balances');
    const response = await wallet.buy(`${dear.url}${target}`, init);
    expect(await response.json()).toMatchObject({ ok: true, priceUsd: '0.0011' });
    expect(solana.mainnet.transfers.at(-1)?.amount).toBe(1100n);
    await dear.stop();
  });
});

const call = callOf('rpc.mainnet.helius.getBalance');
const ROWS = [
  ['mainnet', 'rpc.mainnet.helius.getBalance', 'solana'],
  ['devnet', 'das.devnet.helius.getAsset', 'solana-devnet'],
] as const;

describe('X-PAYMENT buys as well', () => {
  describe.each([
    ['version 1', asVersion1],
    ['version 2', (payment: unknown) => payment],
  ] as const)('with a payment of %s', (_, wrapped) => {
    it.each(ROWS)('on %s: %s', async (cluster, id, short) => {
      const payment = wrapped(await paymentFor(gateway, callOf(id), wallet));
      const response = await buys(gateway, callOf(id), payment, { [HEADERS.version1Payment]: headerOf(payment) });
      expect((await bodyOf(response)).ok).toBe(true);
      const transaction = solana[cluster].transfers.at(-1)?.signature;
      const receipt = { success: true, transaction, payer: wallet.address };
      expect(receiptIn(response)).toEqual({ ...receipt, network: NETWORKS[cluster] });
      expect(receiptIn(response, HEADERS.version1PaymentResponse)).toEqual({ ...receipt, network: short });
    });
  });
});

describe('a payment buys', () => {
  it.each([
    ['another resource and unknown extensions', { resource: { url: 'https://evil.test' }, extensions: { x: 1 } }],
    ['no resource and no extensions', { resource: undefined, extensions: undefined }],
    ['unknown members', { note: 'x', toString: 1 }],
  ])('with %s', async (_, others) => {
    await buys(gateway, call, { ...(await paymentFor(gateway, call, wallet)), ...others });
  });

  it('with members that the client added to extra', async () => {
    const payment = await paymentFor(gateway, call, wallet);
    const extra = { ...payment.accepted.extra, recentBlockhash: 'x', lastValidBlockHeight: 1 };
    await buys(gateway, call, { ...payment, accepted: { ...payment.accepted, extra } });
  });

  it('by HEAD the answer that GET gets', async () => {
    const get = callOf('wallet.mainnet.helius.balances');
    const payment = await paymentFor(gateway, get, wallet);
    const bought = await buys(gateway, { ...get, init: { ...get.init, method: 'HEAD' } }, payment);
    expect(await bought.text()).toBe('');
    const repeated = await leavesNoTrace(gateway, () => sendPaid(gateway, get, payment));
    expect([repeated.status, repeated.headers.get(HEADERS.replayed)]).toEqual([200, 'true']);
    expect((await bodyOf(repeated)).result).toBeDefined();
    for (const name of [HEADERS.paymentResponse, 'content-length']) {
      expect(repeated.headers.get(name)).toBe(bought.headers.get(name));
    }
  });

  it('twice if two payments for one request are made under the same blockhash', async () => {
    const payments = [await paymentFor(gateway, call, wallet), await paymentFor(gateway, call, wallet)];
    expect(new Set(payments.map(transactionOf)).size).toBe(2);
    for (const payment of payments) await buys(gateway, call, payment);
    const [a, b] = solana.mainnet.transfers.slice(-2);
    expect(a?.signature).not.toBe(b?.signature);
    expect(a?.memo).not.toBe(b?.memo);
  });
});

const MAX_HEADER = 4096;
const JSON_TYPE = { 'Content-Type': 'application/json' };
const BROWSER = { Accept: 'text/html,application/xhtml+xml', 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64)' };

type Probe = readonly [name: string, call: Example, headers?: Readonly<Record<string, string>>];

const other = (call: Example, init: object): Example => ({ ...call, init: { ...call.init, ...init } });

/** Requests without a payment. Each gets a 402, also with other faults. */
function probesOf(row: Route): Probe[] {
  const call = callOf(row);
  const both: Probe[] = [
    ['the example', call],
    ['a browser', call, BROWSER],
    ['an unknown parameter', { ...call, target: `${call.target}?nobody=knows&nobody=asks` }],
  ];
  if (row.httpMethod === 'GET') {
    const broken = callOf(row, { path: { wallet: 'O0lI' } });
    return [...both, ['HEAD', other(call, { method: 'HEAD' })], ['an address that is none', broken]];
  }
  const body = (text: string | undefined, headers = JSON_TYPE): Example =>
    other(call, { ...(text === undefined ? { body: undefined } : { body: text }), headers });
  return [
    ...both,
    ['no body', { target: call.target, init: { method: 'POST', headers: {} } }],
    ['an empty body', body('')],
    ['an empty object', body('{}')],
    ['a body that is not JSON', body('{"params":')],
    ['a body that breaks the schema', body('{"params":"x","wallets":[]}')],
    ['another content type', body('{}', { 'Content-Type': 'text/plain' })],
  ];
}

async function asksToPay(row: Route, [name, call, headers]: Probe): Promise<void> {
  const response = await send(gateway, call, headers);
  const header = response.headers.get(HEADERS.paymentRequired) ?? '';
  const required = JSON.parse(Buffer.from(header, 'base64').toString()) as Record<string, unknown>;
  expect(response.status, name).toBe(402);
  expect(header.length, name).toBeLessThanOrEqual(MAX_HEADER);
  expect(response.headers.get('cache-control'), name).toBe('no-store');
  expect(response.headers.get('content-type'), name).toBe('application/json');
  expect(PaymentRequiredV2Schema.safeParse(required).error, name).toBeUndefined();
  expect(isPaymentRequired(required), name).toBe(true);
  const url = `${gateway.url}${call.target}`;
  expect(required, name).toMatchObject({ x402Version: 2, error: 'payment_required', resource: { url } });
  if (call.init.method === 'HEAD') return expect(await response.text()).toBe('');
  const { x402Version, error, resource, accepts, extensions, ...own } = (await response.json()) as typeof required;
  expect({ x402Version, error, resource, accepts, extensions }, name).toEqual(required);
  const { ok, payment, message, requestId } = own;
  expect([ok, payment, typeof message, typeof requestId], row.id).toEqual([
    false,
    { state: 'unused' },
    'string',
    'string',
  ]);
}

describe('P17 a probe without a payment is a 402 payment_required', () => {
  it.each(rows)('%s', async (_, row) => {
    await leavesNoTrace(gateway, async () => {
      for (const probe of probesOf(row)) await asksToPay(row, probe);
    });
  });

  it('of a URL of 8 KiB', async () => {
    const { target, init } = callOf('wallet.mainnet.helius.balances');
    const long: Example = { target: `${target}?${'x'.repeat(8100 - target.length)}`, init };
    const response = await leavesNoTrace(gateway, () => send(gateway, long));
    const header = response.headers.get(HEADERS.paymentRequired) ?? '';
    expect([response.status, header.length <= MAX_HEADER]).toEqual([402, true]);
    expect(Buffer.from(header, 'base64').toString()).not.toContain('xxxx');
    expect(isPaymentRequired(JSON.parse(Buffer.from(header, 'base64').toString()))).toBe(true);
  });
});

it('P17 challenges use no budget', async () => {
  const asset = callOf('das.mainnet.helius.getAsset');
  const strict = await startSellingGateway({ DAS_RATE_LIMIT_PER_SECOND: '1' }, { solana });
  await leavesNoTrace(gateway, async () => {
    const statuses = await Promise.all(Array.from({ length: 100 }, async () => (await send(strict, asset)).status));
    expect(new Set(statuses)).toEqual(new Set([402]));
  });
  await strict.stop();
});
