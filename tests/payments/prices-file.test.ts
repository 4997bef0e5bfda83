import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { examine } from '@asset-gateway/doctor';
import { ConfigError, readConfig } from '@asset-gateway/gateway';
import { routes } from '@asset-gateway/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SolanaSandbox, startSolanaSandbox } from '../../packages/sandbox/src/solana-sandbox.ts';
import { initOf, targetOf } from '../http/targets.ts';
import { makeFolder } from '../kit/folder.ts';
import { CANARY_PROVIDER_KEY, startSellingGateway } from '../kit/selling-gateway.ts';

const sold = routes.filter(({ access }) => access === 'exact');
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
    const family = sold.filter(({ id }) => id.startsWith('das.devnet.')).map(({ id }) => [id, 9] as const);
    expect(family.length).toBeGreaterThan(1);
    expect(read({ 'das.devnet.*': 9 })).toEqual(new Map(family));
    expect(read({ '*': 11 })).toEqual(new Map(sold.map(({ id }) => [id, 11])));
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
  let solana: SolanaSandbox;
  beforeAll(async () => {
    solana = await startSolanaSandbox({ key: CANARY_PROVIDER_KEY });
  });
  afterAll(() => solana.close());

  it('says them in its catalog, its OpenAPI document and every challenge, and adds no surcharge', async () => {
    const PRICES_FILE = fileWith('{"rpc.*": 1500, "rpc.mainnet.helius.getBalance": 70}');
    const gateway = await startSellingGateway({ PRICES_FILE, PRICE_SURCHARGE_USD_MICROS: '100' }, { solana: solana });
    const expected = (id: string, usual: string) => {
      if (id === 'rpc.mainnet.helius.getBalance') return '0.00007';
      return id.startsWith('rpc.') ? '0.0015' : usual;
    };
    const catalog = await (await fetch(`${gateway.url}/v1/catalog`)).json();
    const listed = catalog.routes as { path: string; httpMethod: string; priceUsd: string }[];
    const document = await (await fetch(`${gateway.url}/openapi.json`)).json();
    for (const row of sold) {
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
    expect(solana.provider.arrivals).toEqual([]);
    await gateway.stop();
  });
});
