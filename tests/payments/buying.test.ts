import { HEADERS, NETWORKS, priceMicros, RATES } from '@asset-gateway/protocol';
import { isPaymentRequired, PaymentRequiredV2Schema } from '@x402/core/schemas';
import { decodePaymentResponseHeader } from '@x402/fetch';
import { describe, expect, it } from 'vitest';
import type { Example } from '../http/targets.ts';
import { startChains, startSellingGateway } from '../kit/test-gateway.ts';
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
const solana = await startChains({ blockMs: Number.POSITIVE_INFINITY });
const gateway = await startSellingGateway(ROOMY, { solana });
const wallet = await openWallet(solana);

const rows = sampledRoutes.map((row) => [row.id, row] as const);
const receiptIn = (response: Response, header: string = HEADERS.paymentResponse) =>
  decodePaymentResponseHeader(response.headers.get(header) ?? headerOf(null));

describe('the official client buys', () => {
  it.each(rows)('%s', async (_, row) => {
    const { target, init } = callOf(row);
    const { cluster = 'mainnet' } = row;
    const chain = solana[cluster];
    const before = await chain.usdcBalance(solana.payTo);
    const response = await leaves(gateway, { transfers: 1, arrivals: 1 }, () =>
      wallet.buy(`${gateway.url}${target}`, init),
    );
    expect([response.status, (await bodyOf(response)).ok]).toEqual([200, true]);
    const amount = BigInt(priceMicros(row, { rates: RATES, surchargeMicros: 0 }));
    expect((await chain.usdcBalance(solana.payTo)) - before).toBe(amount);
    const transfer = chain.transfers.at(-1);
    expect(transfer).toMatchObject({ from: wallet.address, to: solana.payTo, amount });
    const receipt = { success: true, transaction: transfer?.signature, payer: wallet.address };
    expect(receiptIn(response)).toEqual({ ...receipt, network: NETWORKS[cluster] });
    expect(response.headers.get(HEADERS.version1PaymentResponse)).toBeNull();
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

const BROWSER = { Accept: 'text/html,application/xhtml+xml', 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64)' };
const balances = callOf('wallet.mainnet.helius.balances');
const posting = (body: string, type = 'application/json'): Example => ({
  target: call.target,
  init: { method: 'POST', headers: { 'Content-Type': type }, body },
});

/** Requests without a payment. Each gets a 402, also with other faults. */
const PROBES: readonly (readonly [string, Example])[] = [
  ['a browser', { ...balances, init: { method: 'GET', headers: BROWSER } }],
  ['a browser that posts', { ...call, init: { ...call.init, headers: BROWSER } }],
  ['unknown parameters', { ...call, target: `${call.target}?nobody=knows&nobody=asks` }],
  ['HEAD', { ...balances, init: { ...balances.init, method: 'HEAD' } }],
  ['an address that is none', callOf('wallet.mainnet.helius.balances', { path: { wallet: 'O0lI' } })],
  ['no body', { target: call.target, init: { method: 'POST', headers: {} } }],
  ['an empty body', posting('')],
  ['an empty object', posting('{}')],
  ['a body that is not JSON', posting('{"params":')],
  ['a body that breaks the schema', posting('{"params":"x","wallets":[]}')],
  ['another content type', posting('{}', 'text/plain')],
];

describe('P17 a probe without a payment is a 402 payment_required', () => {
  it.each(PROBES)('P17 %s', async (_, probe) => {
    const response = await leavesNoTrace(gateway, () => send(gateway, probe));
    const header = response.headers.get(HEADERS.paymentRequired) ?? '';
    const required = JSON.parse(Buffer.from(header, 'base64').toString()) as Record<string, unknown>;
    expect([response.status, response.headers.get('cache-control')]).toEqual([402, 'no-store']);
    expect([PaymentRequiredV2Schema.safeParse(required).error, isPaymentRequired(required)]).toEqual([undefined, true]);
    const url = `${gateway.url}${probe.target}`;
    expect(required).toMatchObject({ x402Version: 2, error: 'payment_required', resource: { url } });
    const text = await response.text();
    if (probe.init.method === 'HEAD') return expect(text).toBe('');
    expect(JSON.parse(text)).toMatchObject({ ...required, ok: false, payment: { state: 'unused' } });
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
