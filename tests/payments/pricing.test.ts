import { dollars, priceMicros, RATES, type Route, routes } from '@asset-gateway/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { samples } from '../kit/rounds.ts';

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

  it.each([
    ['getBalance', '0.000605'],
    ['getTransaction', '0.000618'],
    ['searchAssets', '0.000816'],
  ])('%s with the public gateway’s surcharge costs $%s', (method, price) => {
    for (const row of rowsOf('alchemy', method)) {
      expect(dollars(priceMicros(row, { rates: RATES, surchargeMicros: 600 }))).toBe(price);
    }
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
  it.each([
    [0, '0.00'],
    [1, '0.000001'],
    [5, '0.000005'],
    [10, '0.00001'],
    [500, '0.0005'],
    [10_000, '0.01'],
    [100_000, '0.10'],
    [120_000, '0.12'],
    [999_999, '0.999999'],
    [1_000_000, '1.00'],
    [1_000_001, '1.000001'],
    [1_500_000, '1.50'],
    [123_456_700, '123.4567'],
  ])('%s micro-dollars are $%s', (micros, text) => {
    expect(dollars(micros)).toBe(text);
  });

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

  it('tell different amounts apart', () => {
    const check = (one: number, other: number) => {
      expect(dollars(one) === dollars(other)).toBe(one === other);
    };
    fc.assert(fc.property(micros, micros, check));
  });
});
