import { HEADERS, NETWORKS, type Route } from '@asset-gateway/protocol';
import { decodePaymentResponseHeader } from '@x402/fetch';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SellingGateway, startSellingGateway } from '../kit/selling-gateway.ts';
import { callOf, leaves, paidRoutes, ROOMY } from './calls.ts';
import { openWallet, type Wallet } from './wallets.ts';

/** What each answer costs in dollars, by method: at Alchemy, at Helius. */
const PRICES: Readonly<Record<string, readonly [alchemy: string | undefined, helius: string]>> = {
  getBalance: ['0.000005', '0.000005'],
  getAccountInfo: ['0.000005', '0.000005'],
  getTokenAccountsByOwner: ['0.000005', '0.000005'],
  getTransaction: ['0.000018', '0.000005'],
  getSignaturesForAddress: ['0.000018', '0.000005'],
  getProgramAccounts: ['0.000009', '0.00005'],
  getTransactionsForAddress: [undefined, '0.00025'],
  getAsset: ['0.000036', '0.00005'],
  getAssetsByOwner: ['0.000216', '0.00005'],
  searchAssets: ['0.000216', '0.00005'],
  identity: [undefined, '0.0005'],
  batchIdentity: [undefined, '0.0005'],
  balances: [undefined, '0.0005'],
  history: [undefined, '0.0005'],
  transfers: [undefined, '0.0005'],
  fundedBy: [undefined, '0.0005'],
};

const priceOf = ({ method, provider }: Route): string => PRICES[method]?.[provider === 'alchemy' ? 0 : 1] ?? 'none';

/** Atomic units of USDC. */
function atomic(price: string): bigint {
  const [whole = '', decimals = ''] = price.split('.');
  return BigInt(whole + decimals.padEnd(6, '0'));
}

let gateway: SellingGateway;
let wallet: Wallet;
beforeAll(async () => {
  gateway = await startSellingGateway(ROOMY);
  wallet = await openWallet(gateway.solana);
});
afterAll(() => gateway.stop());

const chainOf = ({ cluster }: Route) => gateway.solana[cluster ?? 'mainnet'];

async function buys(row: Route): Promise<void> {
  const { target, init } = callOf(row);
  const chain = chainOf(row);
  const price = priceOf(row);
  const before = await chain.usdcBalance(gateway.solana.payTo);
  const response = await leaves(gateway, { transfers: 1, arrivals: 1 }, () =>
    wallet.buy(`${gateway.url}${target}`, init),
  );
  const body = (await response.json()) as Record<string, unknown>;
  expect([response.status, body.error]).toEqual([200, undefined]);
  expect(Object.keys(body)).toEqual(['ok', 'provider', 'cluster', 'surface', 'method', 'priceUsd', 'result']);
  const { provider, cluster = 'mainnet', surface, method } = row;
  expect(body).toMatchObject({ ok: true, provider, cluster, surface, method, priceUsd: price });
  expect((await chain.usdcBalance(gateway.solana.payTo)) - before).toBe(atomic(price));
  const receipt = decodePaymentResponseHeader(response.headers.get(HEADERS.paymentResponse) ?? '');
  const transfer = chain.transfers.at(-1);
  expect(transfer).toMatchObject({ from: wallet.address, to: gateway.solana.payTo, amount: atomic(price) });
  expect(receipt).toEqual({
    success: true,
    transaction: transfer?.signature,
    network: NETWORKS[cluster],
    payer: wallet.address,
  });
  expect(response.headers.get(HEADERS.version1PaymentResponse)).toBeNull();
  expect(response.headers.get(HEADERS.replayed)).toBeNull();
  expect(response.headers.get('cache-control')).toBe('private, no-store');
}

describe('the official client buys', () => {
  it('on 41 routes, each with a price, which are all that there are', () => {
    expect(paidRoutes).toHaveLength(41);
    expect(paidRoutes.map(priceOf)).not.toContain('none');
  });

  it.each(paidRoutes.map((row) => [row.id, row] as const))('%s', async (_, row) => {
    await buys(row);
  });

  it('each row at the price that the catalog names', async () => {
    const catalog = (await (await fetch(`${gateway.url}/v1/catalog`)).json()) as {
      routes: { path: string; httpMethod: string; accessMode: string; priceUsd: string }[];
    };
    const listed = new Map(catalog.routes.map(({ httpMethod, path, priceUsd }) => [`${httpMethod} ${path}`, priceUsd]));
    for (const row of paidRoutes) expect(listed.get(`${row.httpMethod} ${row.path}`), row.id).toBe(priceOf(row));
  });
});

it('a surcharge is asked for, paid and shown', async () => {
  const dear = await startSellingGateway({ PRICE_SURCHARGE_USD_MICROS: '600' }, { solana: gateway.solana });
  const { target, init } = callOf('wallet.mainnet.helius.balances');
  const response = await wallet.buy(`${dear.url}${target}`, init);
  expect(await response.json()).toMatchObject({ ok: true, priceUsd: '0.0011' });
  expect(gateway.solana.mainnet.transfers.at(-1)?.amount).toBe(1100n);
  await dear.stop();
});
