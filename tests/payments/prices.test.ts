import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { examine } from '@asset-gateway/doctor';
import { ConfigError, readConfig } from '@asset-gateway/gateway';
import { dollars, priceMicros, RATES, type Route, routes } from '@asset-gateway/protocol';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { initOf, targetOf } from '../http/targets.ts';
import { makeFolder } from '../kit/folder.ts';
import { samples } from '../kit/rounds.ts';
import { startSellingGateway } from '../kit/selling-gateway.ts';

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

const folder = makeFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
function fileWith(text: string): string {
  const path = join(folder, `prices-${files++}.json`);
  writeFileSync(path, text);
  return path;
}

const read = (prices: unknown) =>
  readConfig({
    ...SELLING,
    PRICES_FILE: fileWith(typeof prices === 'string' ? prices : JSON.stringify(prices)),
  }).paid?.prices;

function faultsOf(prices: unknown): readonly string[] {
  try {
    read(prices);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

describe('a file of prices', () => {
  it('leaves other routes at their price', () => {
    expect(read({})).toEqual(new Map());
    expect(readConfig(SELLING).paid?.prices).toEqual(new Map());
  });

  it('names a route, a family of routes, or all that are sold', () => {
    expect(read({ 'rpc.mainnet.helius.getBalance': 7 })).toEqual(new Map([['rpc.mainnet.helius.getBalance', 7]]));
    const family = paid.filter(({ id }) => id.startsWith('das.devnet.')).map(({ id }) => [id, 9] as const);
    expect(family.length).toBeGreaterThan(1);
    expect(read({ 'das.devnet.*': 9 })).toEqual(new Map(family));
    expect(read({ '*': 11 })).toEqual(new Map(paid.map(({ id }) => [id, 11])));
  });

  it('the longest matching name counts, in any order', () => {
    const names = { 'rpc.mainnet.helius.getBalance': 3, '*': 1, 'rpc.mainnet.*': 2, 'rpc.*': 4 };
    for (const entries of [Object.entries(names), Object.entries(names).toReversed()]) {
      const prices = read(Object.fromEntries(entries));
      expect(prices?.get('rpc.mainnet.helius.getBalance')).toBe(3);
      expect(prices?.get('rpc.mainnet.alchemy.getBalance')).toBe(2);
      expect(prices?.get('rpc.devnet.alchemy.getBalance')).toBe(4);
      expect(prices?.get('wallet.mainnet.helius.history')).toBe(1);
    }
  });

  it('reports all faults of the file at once', () => {
    const faults = faultsOf({
      'rpc.mainnet.helius.getBalanse': 1,
      'rpc*': 1,
      'rcp.*': 1,
      'tokens.search': 1,
      'tokens.*': 1,
      'system.catalog': 1,
      'das.*': 0,
      'wallet.*': -5,
      'rpc.*': 1.5,
      'rpc.mainnet.*': '7',
      'rpc.devnet.*': 100_000_001,
      '*': null,
    });
    const price = (name: string) =>
      `PRICES_FILE: the price of "${name}" must be a whole number of millionths of a dollar from 1 to 100000000.`;
    expect(faults).toEqual([
      'PRICES_FILE: "rpc.mainnet.helius.getBalanse" is not a paid route; the nearest is rpc.mainnet.helius.getBalance.',
      expect.stringMatching(/^PRICES_FILE: "rpc\*" is not a paid route; the nearest is \S+\.$/),
      expect.stringMatching(/^PRICES_FILE: "rcp\.\*" is not a paid route; the nearest is \S+\.$/),
      'PRICES_FILE: "tokens.search" is free and has no price.',
      expect.stringMatching(/^PRICES_FILE: "tokens\.\*" is not a paid route; the nearest is \S+\.$/),
      'PRICES_FILE: "system.catalog" is free and has no price.',
      ...['das.*', 'wallet.*', 'rpc.*', 'rpc.mainnet.*', 'rpc.devnet.*', '*'].map(price),
    ]);
  });

  it.each(['', '[]', '"rpc.*"', 'null', '{"rpc.*": 1', 'rpc.* 1'])('%j is not a JSON object', (text) => {
    expect(faultsOf(text)).toEqual(['PRICES_FILE must be a JSON object such as {"rpc.*": 1500, "das.*": 2000}.']);
  });

  it('that is not there is named', () => {
    const PRICES_FILE = join(folder, 'none.json');
    expect(() => readConfig({ ...SELLING, PRICES_FILE })).toThrow(`PRICES_FILE: there is no file ${PRICES_FILE}.`);
  });
});

describe('a gateway with a PRICES_FILE', () => {
  it('says them in its catalog, its OpenAPI document and every challenge, and adds no surcharge', async () => {
    const PRICES_FILE = fileWith('{"rpc.*": 1500, "rpc.mainnet.helius.getBalance": 70}');
    const gateway = await startSellingGateway({ PRICES_FILE, PRICE_SURCHARGE_USD_MICROS: '100' });
    const expected = (id: string, usual: string) => {
      if (id === 'rpc.mainnet.helius.getBalance') return '0.00007';
      return id.startsWith('rpc.') ? '0.0015' : usual;
    };
    const catalog = await (await fetch(`${gateway.url}/v1/catalog`)).json();
    const listed = catalog.routes as { path: string; httpMethod: string; priceUsd: string }[];
    const document = await (await fetch(`${gateway.url}/openapi.json`)).json();
    for (const row of paid) {
      const entry = listed.find(({ path, httpMethod }) => path === row.path && httpMethod === row.httpMethod);
      const price = entry?.priceUsd ?? '';
      expect([row.id, price]).toEqual([row.id, expected(row.id, price)]);
      const answer = await fetch(gateway.url + targetOf(row), initOf(row));
      const [offer] = ((await answer.json()) as { accepts: { amount: string }[] }).accepts;
      expect([row.id, Number(offer?.amount)]).toEqual([row.id, Math.round(Number(price) * 1e6)]);
      const path = row.path.replace(/:(\w+)/g, '{$1}');
      expect(JSON.stringify(document.paths[path][row.httpMethod.toLowerCase()]['x-payment-info'])).toContain(price);
    }
    expect(listed.find(({ path }) => path.includes('/das/'))?.priceUsd).toBe('0.000136');
    expect(gateway.logLines.join('')).toContain('rpc: priced from $0.00007 a call');
    const { findings } = await examine(gateway.url);
    expect(findings).toEqual([]);
    expect(gateway.solana.provider.arrivals).toEqual([]);
    await gateway.stop();
  });
});
