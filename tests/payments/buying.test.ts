import { dollars, HEADERS, NETWORKS, priceMicros, RATES, type Route } from '@asset-gateway/protocol';
import { decodePaymentResponseHeader } from '@x402/fetch';
import { afterAll, describe, expect, it } from 'vitest';
import { startSolanaSandbox } from '../../packages/sandbox/src/solana-sandbox.ts';
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
  sendPaid,
  transactionOf,
} from './calls.ts';
import { openWallet } from './wallets.ts';

/** One blockhash for all payments. */
const solana = await startSolanaSandbox({ key: CANARY_PROVIDER_KEY, blockMs: Number.POSITIVE_INFINITY });
const gateway = await startSellingGateway(ROOMY, { solana });
const wallet = await openWallet(solana);
afterAll(() => gateway.stop().then(solana.close));

const priceOf = (row: Route): number => priceMicros(row, { rates: RATES, surchargeMicros: 0 });
const receiptIn = (response: Response, header: string = HEADERS.paymentResponse) =>
  decodePaymentResponseHeader(response.headers.get(header) ?? headerOf(null));

describe('the official client buys', () => {
  it.each(sampledRoutes.map((row) => [row.id, row] as const))('%s', async (_, row) => {
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
