import { examine } from '@asset-gateway/doctor';
import { readConfig } from '@asset-gateway/gateway';
import { dollars, priceMicros, RATES, type Route, routes } from '@asset-gateway/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writeDocument } from '../apis/apis.ts';
import { faultsOf } from '../config/faults.ts';
import { samples } from '../kit/rounds.ts';
import { startSellingGateway } from '../kit/test-gateway.ts';
import { callOf, requiredFor } from './calls.ts';

const paid = routes.filter(({ access }) => access === 'exact');
const free = { rates: RATES, surchargeMicros: 0 };

const rowsOf = (provider: string, method: string): Route[] =>
  paid.filter((row) => row.provider === provider && row.method === method);

/** Published prices without a surcharge: the method, and its price at each provider. */
const PRICES: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ['getBalance', { alchemy: '0.000005', helius: '0.000005' }],
  ['getAccountInfo', { alchemy: '0.000005', helius: '0.000005' }],
  ['getTokenAccountsByOwner', { alchemy: '0.000005', helius: '0.000005' }],
  ['getTransaction', { alchemy: '0.000018', helius: '0.000005' }],
  ['getSignaturesForAddress', { alchemy: '0.000018', helius: '0.000005' }],
  ['getProgramAccounts', { alchemy: '0.000009', helius: '0.00005' }],
  ['getTransactionsForAddress', { helius: '0.00025' }],
  ['getAsset', { alchemy: '0.000036', helius: '0.00005' }],
  ['getAssetsByOwner', { alchemy: '0.000216', helius: '0.00005' }],
  ['searchAssets', { alchemy: '0.000216', helius: '0.00005' }],
  ...['identity', 'batchIdentity', 'balances', 'history', 'transfers', 'fundedBy'].map(
    (method) => [method, { helius: '0.0005' }] as const,
  ),
];

describe('prices', () => {
  it.each(PRICES)('%s has its published price, on every cluster', (method, prices) => {
    const told = Object.keys(RATES).flatMap((provider) =>
      rowsOf(provider, method).map((row) => [provider, dollars(priceMicros(row, free))]),
    );
    expect(told.length).toBeGreaterThan(0);
    expect(Object.fromEntries(told)).toEqual(prices);
    for (const [provider = '', price] of told) expect(price).toBe(prices[provider]);
  });

  it('are those of every paid row', () => {
    expect(new Set(paid.map(({ method }) => method))).toEqual(new Set(PRICES.map(([method]) => method)));
    expect(paid.every(({ units }) => units !== undefined && units > 0)).toBe(true);
  });

  it('of free routes are 0 with any surcharge', () => {
    for (const row of routes.filter(({ access }) => access !== 'exact')) {
      expect(priceMicros(row, { rates: RATES, surchargeMicros: 600 })).toBe(0);
    }
  });

  const [row] = paid;

  it('are units times rate, rounded up to a micro-dollar, and the surcharge', () => {
    if (!row) throw new Error('no paid row');
    const check = (units: number, rate: number, surchargeMicros: number) => {
      const exact = (BigInt(units) * BigInt(rate) + 999_999n) / 1_000_000n;
      const price = priceMicros({ ...row, units }, { rates: { [row.provider]: rate }, surchargeMicros });
      expect(BigInt(price)).toBe(exact + BigInt(surchargeMicros));
    };
    const rate = fc.integer({ min: 0, max: 100_000_000 });
    fc.assert(fc.property(fc.integer({ min: 1, max: 1_000_000 }), rate, fc.nat(1_000_000), check), {
      numRuns: samples(1_000),
    });
  });

  it('are the surcharge alone where a provider has no rate', () => {
    if (!row) throw new Error('no paid row');
    expect(priceMicros(row, { rates: {}, surchargeMicros: 7 })).toBe(7);
  });
});

describe('dollars', () => {
  const micros = fc.oneof(fc.nat(2_000_000), fc.integer({ min: 0, max: 2 ** 50 }));

  it('say exactly as much as the number, with two decimals at the least and no zero too many', () => {
    const check = (amount: number) => {
      const text = dollars(amount);
      expect(text).toMatch(/^(?:0|[1-9]\d*)\.(?:\d\d|\d{2,5}[1-9])$/);
      const [whole = '', decimals = ''] = text.split('.');
      expect(BigInt(whole + decimals.padEnd(6, '0'))).toBe(BigInt(amount));
    };
    fc.assert(fc.property(micros, check), { numRuns: samples(2_000) });
  });
});

const SELLING = {
  HELIUS_API_KEY: 'k',
  PAY_TO_WALLET: '1'.repeat(32),
  FACILITATOR_URL: 'https://facilitator.example',
};

type Section = Readonly<Record<string, unknown>>;

const read = (file: Readonly<Record<string, Section>>) =>
  readConfig({ ...SELLING, APIS_FILE: writeDocument(file) }).paid?.prices;

/** A section with these prices, by name. */
const priced = (prices: Readonly<Record<string, string>>): Section => ({
  operations: Object.fromEntries(Object.entries(prices).map(([name, price]) => [name, { price }])),
});

const faultsIn = (file: Readonly<Record<string, Section>>) => faultsOf({ ...SELLING, APIS_FILE: writeDocument(file) });

const idsOf = (prefix: string): string[] => paid.map(({ id }) => id).filter((id) => id.startsWith(prefix));
const allAt = (ids: readonly string[], micros: number) => new Map(ids.map((id) => [id, micros]));

describe('prices in APIS_FILE', () => {
  it('leave other routes at their price', () => {
    expect(read({})).toEqual(new Map());
    expect(read({ rpc: {} })).toEqual(new Map());
    expect(readConfig(SELLING).paid?.prices).toEqual(new Map());
  });

  it('are of a route, a method, a prefix or a whole family', () => {
    const balance = 'rpc.mainnet.helius.getBalance';
    expect(read({ rpc: priced({ 'mainnet.helius.getBalance': '0.000007' }) })).toEqual(allAt([balance], 7));
    const balances = idsOf('rpc.').filter((id) => id.endsWith('.getBalance'));
    expect(balances.length).toBeGreaterThan(2);
    expect(read({ rpc: priced({ getBalance: '0.000008' }) })).toEqual(allAt(balances, 8));
    expect(read({ das: priced({ 'devnet.*': '0.000009' }) })).toEqual(allAt(idsOf('das.devnet.'), 9));
    expect(read({ wallet: { price: '0.000011' } })).toEqual(allAt(idsOf('wallet.'), 11));
    expect(read({ wallet: priced({ '*': '1.5' }) })).toEqual(allAt(idsOf('wallet.'), 1_500_000));
  });

  it('a route counts before a method, a method before a prefix, and a longer prefix before a shorter one, in any order', () => {
    const names = {
      'mainnet.helius.getBalance': '0.000003',
      '*': '0.000001',
      'mainnet.*': '0.000002',
      'mainnet.helius.*': '0.000004',
      getBalance: '0.000005',
    };
    for (const entries of [Object.entries(names), Object.entries(names).toReversed()]) {
      const prices = read({ rpc: { price: '0.000009', ...priced(Object.fromEntries(entries)) } });
      expect(prices?.get('rpc.mainnet.helius.getBalance')).toBe(3);
      expect(prices?.get('rpc.mainnet.alchemy.getBalance')).toBe(5);
      expect(prices?.get('rpc.mainnet.helius.getAccountInfo')).toBe(4);
      expect(prices?.get('rpc.mainnet.alchemy.getAccountInfo')).toBe(2);
      expect(prices?.get('rpc.devnet.alchemy.getAccountInfo')).toBe(1);
    }
  });

  it('all faults are reported at once, with their places and the nearest name', () => {
    expect(
      faultsIn({
        rpc: priced({ 'mainnet*': '1', getBalanc: '1' }),
        das: { price: '0', ...priced({ getAsset: '0.000000' }) },
        tokens: { price: '1', ...priced({ search: '1', '*': '1' }) },
      }),
    ).toEqual([
      'APIS_FILE: tokens.price cannot be set: free routes have no price.',
      'APIS_FILE: tokens.operations.*.price cannot be set: free routes have no price.',
      'APIS_FILE: tokens.operations.search.price cannot be set: free routes have no price.',
      expect.stringMatching(/^APIS_FILE: rpc\.operations has no "mainnet\*"; the nearest is \S+\.$/),
      'APIS_FILE: rpc.operations has no "getBalanc"; the nearest is getBalance.',
      'APIS_FILE: das.price must be above 0.',
      'APIS_FILE: das.operations.getAsset.price must be above 0.',
    ]);
  });

  it.each(['', '1e3', '-1', '0.0000001', '1000', '$1', '.5', 1500, null])('%j is not a price', (price) => {
    expect(faultsIn({ rpc: { price } })).toEqual([expect.stringMatching(/^APIS_FILE: rpc\.price .+\.$/)]);
  });
});

describe('a gateway with prices of its own', () => {
  it('says them in its catalog, its OpenAPI document and every challenge, and adds no surcharge', async () => {
    const APIS_FILE = writeDocument({
      rpc: { price: '0.0015', ...priced({ 'mainnet.helius.getBalance': '0.00007' }) },
    });
    const gateway = await startSellingGateway({ APIS_FILE, PRICE_SURCHARGE_USD_MICROS: '100' });
    const amounts = { 'mainnet.helius.getBalance': '70', 'devnet.alchemy.getBalance': '1500' };
    for (const [name, amount] of Object.entries(amounts)) {
      const { accepts } = await requiredFor(gateway, callOf(`rpc.${name}`));
      expect([name, accepts[0]?.amount]).toEqual([name, amount]);
    }
    const { accepts } = await requiredFor(gateway, callOf('das.mainnet.alchemy.getAsset'));
    expect(accepts[0]?.amount).toBe('136');
    expect(gateway.logLines.join('')).toContain('$7.00 (rpc)');
    // It compares the catalog, the OpenAPI document and the challenges.
    expect((await examine(gateway.url)).findings).toEqual([]);
    expect(gateway.solana.provider.arrivals).toEqual([]);
    await gateway.stop();
  });
});
