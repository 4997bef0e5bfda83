import { newKeypair } from '@asset-gateway/client/node';
import { examine } from '@asset-gateway/doctor';
import { readConfig } from '@asset-gateway/gateway';
import {
  DEFAULT_PRICING,
  dollars,
  listMicros,
  priceMicros,
  priceText,
  RATES,
  type Route,
  routes,
  usualFeeMicros,
} from '@asset-gateway/protocol';
import bs58 from 'bs58';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COST_LIMITS } from '../../packages/gateway/src/payments/read/transaction.ts';
import { documentPath, writeDocument } from '../apis/document-files.ts';
import { faultsOf } from '../config/faults.ts';
import { samples } from '../kit/rounds.ts';
import { DEFAULT_PRICES, type SellingGateway, startSellingGateway } from '../kit/test-gateway.ts';
import { bodyOf, callOf, leaves, paymentFor, requiredFor, sendPaid } from './calls.ts';
import { openWallet } from './wallets.ts';

const paid = routes.filter(({ access }) => access === 'exact');

const rowsOf = (provider: string, method: string): Route[] =>
  paid.filter((row) => row.provider === provider && row.method === method);

/** Published list prices: the method, and its price at each provider. */
const PRICES: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ['getBalance', { alchemy: '0.000005', helius: '0.000005' }],
  ['getAccountInfo', { alchemy: '0.000005', helius: '0.000005' }],
  ['getTokenAccountsByOwner', { alchemy: '0.000005', helius: '0.000005' }],
  ['getTransaction', { alchemy: '0.000018', helius: '0.000005' }],
  ['getSignaturesForAddress', { alchemy: '0.000018', helius: '0.000005' }],
  ['getProgramAccounts', { alchemy: '0.000009', helius: '0.00005' }],
  ['getTransactionsForAddress', { helius: '0.0005' }],
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
      rowsOf(provider, method).map((row) => [provider, dollars(listMicros(row, DEFAULT_PRICING))]),
    );
    expect(told.length).toBeGreaterThan(0);
    expect(Object.fromEntries(told)).toEqual(prices);
    for (const [provider = '', price] of told) expect(price).toBe(prices[provider]);
  });

  it('are those of every paid row', () => {
    expect(new Set(paid.map(({ method }) => method))).toEqual(new Set(PRICES.map(([method]) => method)));
    expect(paid.every(({ units }) => units !== undefined && units > 0)).toBe(true);
  });

  it('of free routes are 0 with any settlement fee', () => {
    for (const row of routes.filter(({ access }) => access !== 'exact')) {
      const pricing = { rates: RATES, settlementFeeMicros: 600 };
      expect([priceMicros(row, pricing), listMicros(row, pricing)]).toEqual([0, 0]);
    }
  });

  const [row] = paid;

  it('are units times rate, rounded up to a micro-dollar, and the settlement fee if they are settled by themselves', () => {
    if (!row) throw new Error('no paid row');
    const check = (units: number, rate: number, settlementFeeMicros: number) => {
      const exact = (BigInt(units) * BigInt(rate) + 999_999n) / 1_000_000n;
      const pricing = { rates: { [row.provider]: rate }, settlementFeeMicros };
      expect(BigInt(listMicros({ ...row, units }, pricing))).toBe(exact);
      expect(BigInt(priceMicros({ ...row, units }, pricing))).toBe(exact + BigInt(settlementFeeMicros));
    };
    const rate = fc.integer({ min: 0, max: 100_000_000 });
    fc.assert(fc.property(fc.integer({ min: 1, max: 1_000_000 }), rate, fc.nat(1_000_000), check), {
      numRuns: samples(1_000),
    });
  });

  it('are the settlement fee alone where a provider has no rate', () => {
    if (!row) throw new Error('no paid row');
    expect(priceMicros(row, { rates: {}, settlementFeeMicros: 7 })).toBe(7);
  });

  it('of the operator are charged as written, with the settlement fee only if the operator says so', () => {
    if (!row) throw new Error('no paid row');
    for (const settlementFee of [false, true]) {
      const own = new Map([[row.id, { micros: 70, settlementFee }]]);
      const pricing = { rates: RATES, settlementFeeMicros: 600, own };
      expect([priceMicros(row, pricing), listMicros(row, pricing)]).toEqual([settlementFee ? 670 : 70, 70]);
    }
  });

  it('each cover a usual settlement by default, up to $400 a SOL', () => {
    for (const each of paid) expect(priceMicros(each, DEFAULT_PRICING)).toBeGreaterThan(usualFeeMicros(400));
    expect([usualFeeMicros(), usualFeeMicros(400)]).toEqual([2501, 4001]);
  });

  it('are read as one sentence', () => {
    expect(priceText({ priceUsd: '0.004005', creditPriceUsd: '0.000005' })).toBe('$0.004005, or $0.000005 from credit');
    expect(priceText({ priceUsd: '0.002', creditPriceUsd: '0.002' })).toBe('$0.002');
    expect(priceText({ priceUsd: '0.002' }, ' a call')).toBe('$0.002 a call');
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
const allAt = (ids: readonly string[], micros: number, settlementFee = false) =>
  new Map(ids.map((id) => [id, { micros, settlementFee }]));

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
      expect(prices?.get('rpc.mainnet.helius.getBalance')?.micros).toBe(3);
      expect(prices?.get('rpc.mainnet.alchemy.getBalance')?.micros).toBe(5);
      expect(prices?.get('rpc.mainnet.helius.getAccountInfo')?.micros).toBe(4);
      expect(prices?.get('rpc.mainnet.alchemy.getAccountInfo')?.micros).toBe(2);
      expect(prices?.get('rpc.devnet.alchemy.getAccountInfo')?.micros).toBe(1);
    }
  });

  it('have the settlement fee where the file says so: a name that is more specific counts', () => {
    const operations = { 'mainnet.*': { settlementFee: false }, getBalance: { price: '0.002', settlementFee: true } };
    const prices = read({ rpc: { price: '0.001', settlementFee: true, operations } });
    const of = (id: string) => prices?.get(`rpc.${id}`);
    expect(of('devnet.helius.getAccountInfo')).toEqual({ micros: 1000, settlementFee: true });
    expect(of('mainnet.helius.getAccountInfo')).toEqual({ micros: 1000, settlementFee: false });
    expect(of('mainnet.helius.getBalance')).toEqual({ micros: 2000, settlementFee: true });
    expect(faultsIn({ rpc: { settlementFee: true }, tokens: { settlementFee: true } })).toEqual([
      'APIS_FILE: tokens.settlementFee cannot be set: free routes have no price.',
      'APIS_FILE: rpc.settlementFee needs a price here.',
    ]);
  });

  it('of own APIs have the settlement fee if the API or the operation says so', () => {
    const api = { title: 'Weather', openapi: documentPath('weather.yaml'), url: 'https://api.weather.example' };
    const history = { access: 'exact', price: '0.002' };
    const of = (more: Section, operation: Section) => {
      const weather = { ...api, ...more, operations: { getHistory: { ...history, ...operation } } };
      return [...(read({ apis: { weather } }) ?? [])][0]?.[1];
    };
    expect(of({}, {})).toEqual({ micros: 2000, settlementFee: false });
    expect(of({}, { settlementFee: true })).toEqual({ micros: 2000, settlementFee: true });
    expect(of({ settlementFee: true }, {})).toEqual({ micros: 2000, settlementFee: true });
    expect(of({ settlementFee: true }, { settlementFee: false })).toEqual({ micros: 2000, settlementFee: false });
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
      'APIS_FILE: das.price must be above 0, with up to six decimals.',
      'APIS_FILE: das.operations.getAsset.price must be above 0, with up to six decimals.',
    ]);
  });

  it.each(['', '1e3', '-1', '0.0000001', '1000', '$1', '.5', 1500, null])('%j is not a price', (price) => {
    expect(faultsIn({ rpc: { price } })).toEqual([expect.stringMatching(/^APIS_FILE: rpc\.price .+\.$/)]);
  });
});

const amountOf = async (gateway: SellingGateway, id: string) =>
  (await requiredFor(gateway, callOf(id))).accepts[0]?.amount;

describe('a gateway with prices of its own', () => {
  it('says them in its catalog, its OpenAPI document and every challenge, and adds no settlement fee', async () => {
    const APIS_FILE = writeDocument({
      rpc: { price: '0.0015', ...priced({ 'mainnet.helius.getBalance': '0.00007' }) },
    });
    const gateway = await startSellingGateway({ APIS_FILE, SETTLEMENT_FEE_USD_MICROS: '100' });
    expect(await amountOf(gateway, 'rpc.mainnet.helius.getBalance')).toBe('70');
    expect(await amountOf(gateway, 'rpc.devnet.alchemy.getBalance')).toBe('1500');
    expect(await amountOf(gateway, 'das.mainnet.alchemy.getAsset')).toBe('136');
    expect(gateway.logLines.join('')).toContain('the lowest price is $0.00007, ');
    // It compares the catalog, the OpenAPI document and the challenges.
    const { findings, notes } = await examine(gateway.url);
    expect([findings, notes]).toEqual([[], [expect.stringContaining('the lowest price is $0.00007 (rpc)')]]);
    expect(gateway.solana.provider.arrivals).toEqual([]);
    await gateway.stop();
  });
});

describe('the settlement fee', () => {
  it('and the limits of a transaction stand in the 402, where a payment need not echo them', async () => {
    const gateway = await startSellingGateway({ ...DEFAULT_PRICES, CREDIT: 'on' });
    const call = callOf('rpc.mainnet.helius.getBalance');
    const { accepts } = await requiredFor(gateway, call);
    const told = accepts.map(({ extra: { feePayer: _, memo: __, ticket: ___, ...rest } }) => rest);
    const { maxFeeLamports, maxComputeUnits } = COST_LIMITS;
    expect(maxFeeLamports).toBe(20_000);
    const prices = { priceUsd: '0.004005', creditPriceUsd: '0.000005' };
    expect(told).toEqual([{ maxFeeLamports, maxComputeUnits, ...prices }, {}]);
    const wallet = await openWallet(gateway.solana);
    const payment = await paymentFor(gateway, call, wallet);
    const { feePayer, memo, ticket } = payment.accepted.extra;
    const changed = { feePayer, memo, ticket, maxFeeLamports: 1, creditPriceUsd: '1' };
    const answer = await leaves(gateway, { transfers: 1, arrivals: 1 }, () =>
      sendPaid(gateway, call, { ...payment, accepted: { ...payment.accepted, extra: changed } }),
    );
    expect([answer.status, (await bodyOf(answer)).priceUsd]).toEqual([200, '0.004005']);
    await gateway.stop();
  });

  it('is in every single price by default, and the doctor has no note about losses', async () => {
    const gateway = await startSellingGateway({ ...DEFAULT_PRICES, CREDIT: 'on' });
    for (const id of ['rpc.mainnet.helius.getBalance', 'rpc.devnet.helius.getBalance'])
      expect(await amountOf(gateway, id)).toBe('4005');
    expect(await examine(gateway.url)).toMatchObject({ findings: [], notes: [] });
    await gateway.stop();
  });

  it('is 4,000 by default, and 0 with a remote facilitator', () => {
    const { FACILITATOR_URL: _, ...selling } = SELLING;
    const own = { ...selling, FEE_PAYER_KEYPAIR: bs58.encode(newKeypair()) };
    expect(readConfig(own).paid?.settlementFeeMicros).toBe(Number(DEFAULT_PRICES.SETTLEMENT_FEE_USD_MICROS));
    expect(readConfig(SELLING).paid?.settlementFeeMicros).toBe(0);
    expect(readConfig({ ...SELLING, SETTLEMENT_FEE_USD_MICROS: '70' }).paid?.settlementFeeMicros).toBe(70);
  });
});
