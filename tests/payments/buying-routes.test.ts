import { dollars, HEADERS, NETWORKS, priceMicros, RATES, type Route } from '@asset-gateway/protocol';
import { decodePaymentResponseHeader } from '@x402/fetch';
import { afterAll, describe, expect, it } from 'vitest';
import { startSellingGateway } from '../kit/selling-gateway.ts';
import { callOf, leaves, paidRoutes, ROOMY } from './calls.ts';
import { openWallet } from './wallets.ts';

const priceOf = (row: Route): string => dollars(priceMicros(row, { rates: RATES, surchargeMicros: 0 }));

/** Atomic units of USDC. */
function atomic(price: string): bigint {
  const [whole = '', decimals = ''] = price.split('.');
  return BigInt(whole + decimals.padEnd(6, '0'));
}

const gateway = await startSellingGateway(ROOMY);
const wallet = await openWallet(gateway.solana);
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
  it('on all 41 paid routes', () => {
    expect(paidRoutes).toHaveLength(41);
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
