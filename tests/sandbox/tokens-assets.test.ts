import { describe, expect, it } from 'vitest';
import { ASSETS, KNOWN_MINTS, knownVariant, TOKEN_ASSETS } from '../../packages/sandbox/src/tokens/catalogue.ts';
import { addressOf } from '../../packages/sandbox/src/tokens/seed.ts';
import { ANTHROPIC, keys, SOL, TESLA, tokensApi, UNKNOWN, USDC } from './asking.ts';

const { ok, refusal } = tokensApi();

const OPENAI = 'PreweJYECqtQwBtpxHL171nL2K6umo692gTm7Q3rpgF';
const JITO_SOL = addressOf('solana/JitoSOL');
const LAINE_SOL = addressOf('solana/laineSOL');
/** A stake pool that is not yet a variant of Solana. */
const V_SOL = addressOf('solana/vSOL');
const [MOSS] = TOKEN_ASSETS;
const TOKEN = MOSS?.id ?? '';
const NOT_FOUND = [404, 'NotFoundError', 'Asset not found'];

interface Variant {
  readonly mint: string;
  readonly kind: string;
  readonly symbol: string;
  readonly rank: number;
  readonly market: { readonly liquidity: number } | null;
}

/** The name of a token that only Sanctum knows does not resolve. */
const isStakedName = (
  { variants }: { readonly variants: readonly { name?: string; unregistered?: boolean }[] },
  text: string,
) => variants.some(({ name, unregistered }) => unregistered === true && name === text);

const asset = (reference: string, rest = '') => ok(`/v1/assets/${reference}${rest}`);
const resolve = (query: string) => ok(`/v1/assets/resolve?${query}`);

describe('resolve', () => {
  it.each([
    ['assetId', 'ref=solana', 'solana', null],
    ['registry', 'ref=Solana', 'solana', null],
    ['registry', 'ref=SOL', 'solana', null],
    ['registry', 'ref=%20sol%20', 'solana', null],
    ['registry', 'ref=usd-coin', 'usd', null],
    ['registry', 'ref=tslax', 'tesla', null],
    ['registry', 'ref=Tesla%20(Ondo)', 'tesla', null],
    ['registry', 'ref=jitosol', 'solana', null],
    ['sanctum', 'ref=hsol', 'solana', null],
    ['sanctum', `ref=${V_SOL}`, 'solana', V_SOL],
    ['alias', 'ref=Helium-Network', 'helium', null],
    ['mint', `ref=${USDC}`, 'usd', USDC],
    ['singletonMint', `ref=solana-${SOL}`, 'solana', SOL],
    ['singleton', `ref=${UNKNOWN}`, `solana-${UNKNOWN}`, UNKNOWN],
    ['singleton', `ref=solana-${UNKNOWN}`, `solana-${UNKNOWN}`, UNKNOWN],
    ['mint', `mint=${SOL}`, 'solana', SOL],
    ['mint', `mint=${TESLA}&ref=apple`, 'tesla', TESLA],
    ['singleton', `mint=${UNKNOWN}`, `solana-${UNKNOWN}`, UNKNOWN],
    ['singleton', `mint=${V_SOL}`, `solana-${V_SOL}`, V_SOL],
  ])('by %s: %s', async (resolvedBy, query, assetId, mint) => {
    expect(await resolve(query)).toMatchObject({ resolvedBy, assetId, mint, asset: { assetId } });
  });

  it('shows the variant of a mint with names, and the primary one of another reference without', async () => {
    const named = (await resolve(`mint=${JITO_SOL}`)).variant;
    expect(named).toMatchObject({ mint: JITO_SOL, chain: 'solana', symbol: 'JitoSOL', name: 'Jito Staked SOL' });
    for (const query of ['ref=jitosol', `ref=${JITO_SOL}`, `ref=solana-${JITO_SOL}`, 'ref=sol']) {
      const { variant } = await resolve(query);
      expect(variant.mint, query).toBe(SOL);
      expect(keys(variant), query).toEqual(['chain', 'kind', 'liquidityTier', 'mint', 'tags', 'trustTier']);
    }
    expect((await resolve('ref=cardano')).variant).toBeNull();
  });

  it('knows the name of a token only if it has a row', async () => {
    const { asset: own, variant } = await resolve(`mint=${UNKNOWN}`);
    expect(own).toEqual({
      assetId: `solana-${UNKNOWN}`,
      name: null,
      symbol: null,
      category: 'crypto',
      aliases: [UNKNOWN],
    });
    const tiers = { liquidityTier: 'tier3', trustTier: 'tier3' };
    expect(variant).toEqual({ mint: UNKNOWN, chain: 'solana', kind: 'native', tags: [], ...tiers });
    const known = await resolve(`ref=${TOKEN}`);
    expect(known).toMatchObject({ resolvedBy: 'singleton', asset: { name: MOSS?.name, symbol: MOSS?.symbol } });
    expect(known.variant).toMatchObject({ kind: 'native', label: MOSS?.symbol });
  });

  it('omits missing names', async () => {
    const { asset: own } = await resolve('ref=stock-b5kufqhk');
    expect(keys(own)).toEqual(['aliases', 'assetId', 'category']);
  });

  it.each(ASSETS.map((each) => [each.id, each] as const))('resolves every name of %s', async (id, each) => {
    const { name, symbol, aliases, addedAliases = [], coingeckoId } = each;
    const own = each.variants.flatMap((variant) => [variant.symbol, variant.name, variant.mint]);
    for (const text of [id, name, symbol, ...aliases, ...addedAliases, coingeckoId, ...own]) {
      if (text === undefined || isStakedName(each, text)) continue;
      expect((await resolve(`ref=${encodeURIComponent(text)}`)).assetId, text).toBe(id);
    }
  });

  it('knows every mint with data', async () => {
    const by = await Promise.all(KNOWN_MINTS.map(async (mint) => (await resolve(`mint=${mint}`)).resolvedBy));
    expect(new Set(by)).toEqual(new Set(['mint', 'singleton']));
    expect(by.length).toBeGreaterThanOrEqual(60);
  });
});

describe('unlisted companies', () => {
  it.each([
    ['anthropic', 'pre-pren1fvf', 'registry', null],
    ['ANTHROPIC', 'pre-pren1fvf', 'registry', null],
    ['Anthropic%20PreStocks', 'pre-pren1fvf', 'registry', null],
    ['pre-pren1fvf', 'pre-pren1fvf', 'assetId', null],
    [ANTHROPIC, 'pre-pren1fvf', 'mint', ANTHROPIC],
    ['openai', 'openai', 'assetId', null],
    ['pre-prewejye', 'openai', 'registry', null],
    ['OpenAI%20PreStocks', 'openai', 'registry', null],
    ['spacex-prestocks', 'spacex', 'registry', null],
  ])('resolve from %s', async (ref, assetId, resolvedBy, mint) => {
    expect(await resolve(`ref=${ref}`)).toMatchObject({ assetId, resolvedBy, mint });
  });

  it('are tokens that cannot be redeemed', async () => {
    const { asset: own, variant } = await resolve('ref=anthropic');
    expect(own).toMatchObject({ name: 'Anthropic', symbol: 'ANTHROPIC', category: 'equity' });
    const issuer = { issuer: 'PreStocks', label: 'PreStocks', stockVariantTier: 'not_redeemable' };
    expect(variant).toMatchObject({ mint: ANTHROPIC, kind: 'tokenized_equity', ...issuer });
  });

  it("are valued by the price of their token relative to the issuer's", async () => {
    const { asset: openai } = await asset('openai');
    const { canonicalMarket: market, primaryVariant, stats } = openai;
    const { price } = primaryVariant.market;
    expect(market).toMatchObject({ source: 'prestocks', symbol: 'OPENAI', mint: OPENAI, price, markPriceUsd: 861 });
    expect(market.premiumToMarkPercent).toBeCloseTo((price / 861 - 1) * 100, 3);
    expect(market.impliedValuationUsd / market.markValuationUsd).toBeCloseTo(price / 861, 6);
    expect(market.marketCap).toBe(market.impliedValuationUsd);
    expect([market.volume24hUSD, market.priceChange24hPercent]).toEqual([null, null]);
    expect([market.asOf, market.providerLastUpdatedAt]).toEqual([market.lastFetchedAt, market.lastFetchedAt]);
    expect(stats.marketCap).not.toBe(market.marketCap);
    const { price: _, ...block } = { ...primaryVariant.preStocks };
    expect(market).toMatchObject(block);
    expect(keys(primaryVariant.preStocks)).toHaveLength(6);
  });

  it('use the market of the share once there is one, and keep the block of their token', async () => {
    const { asset: spacex } = await asset('spacex');
    expect(spacex.canonicalMarket).toMatchObject({ source: 'clickhouse_stock', symbol: 'SPCX' });
    expect(spacex.primaryVariantStrategy).toBe('stock_redeemability');
    const blocks = spacex.variantGroups.tokenizedEquity.map((variant: object) => 'preStocks' in variant);
    expect(blocks.filter(Boolean)).toHaveLength(1);
  });

  it('have candles of their token, but no profile and no tickers', async () => {
    const chart = await asset('anthropic', '/price-chart');
    expect(chart.candles).toEqual((await asset('anthropic', '/ohlcv')).candles);
    expect(chart.candles.length).toBeGreaterThan(100);
    expect((await asset('anthropic', '/profile')).profile).toMatchObject({ ok: false, reason: 'not_available' });
    expect((await asset('anthropic', '/tickers')).tickers).toEqual({ rows: [], offset: 0, limit: 0 });
  });
});

describe('the variant of an answer', () => {
  const views = ['markets', 'description', 'risk-summary', 'risk-details'];

  it.each(views)('%s: the one in the path', async (view) => {
    expect((await asset(JITO_SOL, `/${view}`)).mint).toBe(JITO_SOL);
    expect((await asset(`solana-${JITO_SOL}`, `/${view}?mint=${SOL}`)).mint).toBe(SOL);
    expect((await asset(V_SOL, `/${view}`)).mint).toBe(SOL);
  });

  it.each(['ohlcv', 'variant-market'])('%s: the primary one, regardless of the path', async (view) => {
    expect((await asset(JITO_SOL, `/${view}`)).mint).toBe(SOL);
    expect((await asset(JITO_SOL, `/${view}?mint=${JITO_SOL}`)).mint).toBe(JITO_SOL);
  });

  it('price-chart: reads mint only if the asset has no candles', async () => {
    const chart = await asset('solana', '/price-chart');
    expect(await asset('solana', '/price-chart?mint=nonsense')).toEqual(chart);
    expect(await refusal('/v1/assets/openai/price-chart?mint=nonsense')).toEqual([
      400,
      'BadRequestError',
      'Invalid mint',
    ]);
  });

  it.each(['markets', 'description', 'risk-summary', 'risk-details', 'variant-market', 'profile', 'tickers'])(
    '%s: 404 for an uncurated mint',
    async (view) => {
      expect(await refusal(`/v1/assets/${UNKNOWN}/${view}`)).toEqual(NOT_FOUND);
      expect(await refusal(`/v1/assets/${TOKEN}/${view}`)).toEqual(NOT_FOUND);
    },
  );

  it('ohlcv, price-chart: 404 for a mint without a row', async () => {
    for (const view of ['ohlcv', 'price-chart']) {
      expect(await refusal(`/v1/assets/${UNKNOWN}/${view}`)).toEqual(NOT_FOUND);
      expect((await asset(TOKEN, `/${view}`)).candles.length).toBeGreaterThan(100);
    }
  });

  it('is the most liquid one, unless its trading is an outlier', async () => {
    expect((await asset('bitcoin')).asset.primaryVariant.symbol).toBe('cbBTC');
    const { asset: eur } = await asset('eur');
    expect(eur.primaryVariant).toMatchObject({ symbol: 'VEUR', rank: 1 });
    expect((await asset('eur', '/markets')).mint).toBe(eur.primaryVariant.mint);
  });

  it('of a share is the best redeemable one on its page', async () => {
    expect((await asset('spacex')).asset.primaryVariant).toMatchObject({ symbol: 'SPCX', rank: 2 });
    expect((await asset('spacex', '/ohlcv')).mint).not.toBe((await asset('spacex')).asset.primaryVariant.mint);
    expect((await asset('tesla')).asset.primaryVariant.stockVariantTier).toBe('cash_redeemable');
  });

  it('of resolve is chosen without trade counts', async () => {
    expect((await resolve('ref=spacex')).variant.label).toBe('Ondo');
    expect(knownVariant((await asset('spacex', '/markets')).mint)?.label).toBe('xStock');
  });
});

describe('detail', () => {
  it('has included blocks with data or a reason, in a fixed order', async () => {
    const { includes } = await asset(
      'solana',
      '?include=markets,risk,ohlcv,,profile,risk&marketsLimit=3&marketsOffset=1',
    );
    expect(Object.keys(includes)).toEqual(['profile', 'risk', 'ohlcv', 'markets']);
    const score = { marketScore: { score: 100, grade: 'A' }, marketScoreInput: { holderCount: null } };
    expect(includes.risk.data).toMatchObject({ tokenData: null, tradingData: null, ...score });
    expect(includes.markets.data).toMatchObject({ total: 164, offset: 1, limit: 3 });
    expect(includes.markets.data.markets[0].source).toBeTypeOf('string');
    expect(includes.ohlcv.data).toHaveLength(168);
    expect(includes.profile.data.allTimeHigh).toBeGreaterThanOrEqual(includes.profile.data.price);
  });

  it('knows only the mint of a token without a row', async () => {
    const { asset: own, includes, resolution } = await asset(UNKNOWN, '?include=profile,risk,ohlcv,markets');
    expect(own).toMatchObject({ assetId: `solana-${UNKNOWN}`, aliases: [UNKNOWN], symbols: [], imageUrl: null });
    expect([own.name, own.symbol, own.description, own.stats]).toEqual([undefined, undefined, undefined, null]);
    expect(own.primaryVariant).toMatchObject({ kind: 'native', market: null, rank: 0 });
    expect(own.variantGroups.spot).toHaveLength(1);
    expect(includes.profile).toMatchObject({ ok: false, reason: 'not_available' });
    expect(includes.risk.data.marketScore).toMatchObject({ label: 'Insufficient Data', hasInsufficientData: true });
    expect(includes.ohlcv).toEqual({ ok: true, data: [] });
    expect(includes.markets).toMatchObject({ ok: false, reason: 'not_found' });
    expect(resolution).toMatchObject({ resolvedBy: 'singleton', ref: UNKNOWN, mint: UNKNOWN });
  });

  it('has no primary variant for an asset without variants', async () => {
    const { asset: own, includes } = await asset('cardano', '?include=risk,ohlcv,markets&marketsLimit=0');
    expect(own.primaryVariant).toBeNull();
    expect(own.stats).toMatchObject({ liquidity: null, price: own.canonicalMarket.price });
    for (const block of Object.values(includes)) expect(block).toMatchObject({ ok: false, reason: 'not_available' });
  });

  it('ranks all variants together, from 0', async () => {
    const { asset: own } = await asset('solana', '?variantsMode=all');
    const ranked = (Object.values(own.variantGroups).flat() as Variant[]).toSorted((a, b) => a.rank - b.rank);
    expect(ranked[0]).toMatchObject({ rank: 0, mint: SOL });
    const depths = ranked.map(({ market }) => market?.liquidity ?? 0);
    expect(depths).toEqual(depths.toSorted((a, b) => b - a));
    expect(own.variantGroups.yield[0].rank).toBe(1);
  });

  it('shows listed staked coins with enough liquidity, and the requested one', async () => {
    const of = async (rest: string): Promise<string[]> => {
      const { asset: own } = await asset('solana', rest);
      return own.variantGroups.yield.map(({ symbol }: Variant) => symbol);
    };
    const few = await of('');
    expect(few).toContain('hSOL');
    expect(few).not.toContain('laineSOL');
    expect(await of('?variantsMode=all')).toEqual([...few, 'laineSOL']);
    expect(await of(`?mint=${LAINE_SOL}`)).toEqual([...few, 'laineSOL']);
    expect(await of('?variantsMode=some')).toEqual(few);
  });

  it('says how the path was resolved, unless it is the id', async () => {
    expect((await asset('solana')).resolution).toBeUndefined();
    const resolution = { assetId: 'solana', ref: 'SOL', resolvedBy: 'registry', mint: null };
    expect((await asset('SOL')).resolution).toEqual(resolution);
  });

  it('has the price of the tokens and the market of the share', async () => {
    const { asset: tesla, includes } = await asset('tesla', '?include=ohlcv');
    expect(tesla.canonicalMarket).toMatchObject({ source: 'clickhouse_stock', symbol: 'TSLA' });
    expect(tesla.stats.price).not.toBe(tesla.canonicalMarket.price);
    expect(tesla.stats.marketCap).toBe(tesla.canonicalMarket.marketCap);
    expect(includes.ohlcv.data).toEqual((await asset('tesla', '/price-chart')).candles);
    const own = await asset('tesla', `?include=ohlcv&mint=${TESLA}`);
    expect(own.includes.ohlcv.data).toEqual((await asset('tesla', `/ohlcv?mint=${TESLA}`)).candles);
    expect((await asset('gold')).asset.canonicalMarket).toMatchObject({ symbol: 'GLD', marketCap: null });
  });
});

describe('variants', () => {
  const of = async (reference: string, query = ''): Promise<Variant[]> =>
    (await asset(reference, `/variants?${query}`)).variants;
  const symbols = (rows: readonly Variant[]): string[] => rows.map(({ symbol }) => symbol);

  it('are sorted by liquidity, including those without a market', async () => {
    const rows = await of('usd');
    const depths = rows.map(({ market }) => market?.liquidity ?? 0);
    expect(depths).toEqual(depths.toSorted((a, b) => b - a));
    expect(rows.at(-1)).toMatchObject({ symbol: 'USDH', market: null });
    expect(rows).toHaveLength(knownVariant(USDC)?.asset.variants.length ?? 0);
  });

  it('are not filtered by mint, which must be one of them', async () => {
    expect(await of('usd', `mint=${USDC}`)).toEqual(await of('usd'));
    expect((await refusal(`/v1/assets/usd/variants?mint=${SOL}`))[0]).toBe(400);
    expect(symbols(await of('solana', `mint=${LAINE_SOL}`))).toContain('laineSOL');
  });

  it('match the filters', async () => {
    expect(new Set((await of('solana', 'kind=yield')).map(({ kind }) => kind))).toEqual(new Set(['yield']));
    expect(await of('solana', 'trustTier=experimental')).toEqual(await of('solana', 'liquidityTier=tier3'));
    expect(await of('solana', 'trustTier=TIER1')).toEqual(await of('solana', 'liquidityTier=tier1'));
  });

  it('of Solana omit illiquid staked coins and some fields, unless all are requested', async () => {
    const [few, all] = [await of('solana'), await of('solana', 'variantsMode=all')];
    expect(symbols(all).filter((symbol) => !symbols(few).includes(symbol))).toEqual(['laineSOL', 'scnSOL']);
    const fields = keys(few[0]?.market ?? {});
    const further = keys(all[0]?.market ?? {}).filter((name) => !fields.includes(name));
    expect(further).toEqual(['asOf', 'circulatingSupply', 'fdv', 'holder', 'totalSupply']);
  });

  it('of an uncurated mint are one of kind native', async () => {
    expect(await of(UNKNOWN)).toMatchObject([{ mint: UNKNOWN, kind: 'native', market: null }]);
    expect(await of(TOKEN)).toMatchObject([{ kind: 'native', label: MOSS?.symbol }]);
    expect(await of(TOKEN, 'kind=wrapped')).toEqual([]);
    expect(await of(TOKEN, `mint=${SOL}`)).toHaveLength(1);
  });
});

describe('markets', () => {
  it('of variants are sorted by volume, without empty ones', async () => {
    const { total, variants, lastUpdatedAt } = await asset('solana', '/variant-top-markets');
    const volumes = variants.map((row: { topMarket: { volume24h: number } }) => row.topMarket.volume24h);
    expect(volumes).toEqual(volumes.toSorted((a: number, b: number) => b - a));
    expect([total, typeof lastUpdatedAt]).toEqual([variants.length, 'number']);
    for (const { topMarkets, topMarket } of variants) {
      expect(topMarkets[0].market).toEqual(topMarket);
      expect(topMarkets.length).toBeLessThanOrEqual(5);
    }
    const page = await asset('solana', '/variant-top-markets?limit=2&offset=1');
    expect(page.variants).toEqual(variants.slice(1, 3));
    const all = await asset('solana', '/variant-top-markets?variantsMode=all');
    expect(all.total).toBe(total + 1);
  });

  it('of an asset without variants are none', async () => {
    const none = { assetId: 'cardano', total: 0, offset: 0, limit: 50, variants: [], lastUpdatedAt: null };
    expect(await asset('cardano', '/variant-top-markets')).toEqual(none);
    expect((await asset(UNKNOWN, '/variant-top-markets')).total).toBe(0);
  });

  it('name the token of the exchange, if any', async () => {
    const { markets, protocolTokensByMarket } = await asset('solana', '/markets?limit=50');
    const named = Object.entries(protocolTokensByMarket) as [string, { symbol: string }][];
    expect(named.length).toBeGreaterThan(0);
    expect(named.length).toBeLessThan(markets.length);
    expect(new Set(named.map(([, { symbol }]) => symbol))).toContain('RAY');
    const addresses = markets.map(({ address }: { address: string }) => address);
    for (const [address] of named) expect(addresses).toContain(address);
  });

  it('of an untraded token are unknown', async () => {
    const idle = addressOf('solana/scnSOL');
    const { markets, total, lastUpdatedAt } = await asset('solana', `/markets?mint=${idle}`);
    expect([markets, total, lastUpdatedAt]).toEqual([[], undefined, null]);
    const one = await asset('solana', `/variant-market?mint=${idle}`);
    expect([one.market, one.lastUpdatedAt]).toEqual([null, null]);
  });

  it.each(['markets', 'tickers'])('pages through more than fifty %s', async (view) => {
    const seen: unknown[] = [];
    for (let offset = 0, total = 1; offset < total; offset += 50) {
      const body = await asset('solana', `/${view}?offset=${offset}&limit=999`);
      const page = body.tickers ?? body;
      expect(page.limit).toBe(50);
      total = page.total;
      seen.push(...(page.rows ?? page.markets));
      expect(seen.length).toBe(Math.min(total, offset + 50));
    }
    expect(seen.length).toBeGreaterThan(100);
    expect(new Set(seen.map((item) => JSON.stringify(item))).size).toBe(seen.length);
  });
});

describe('risk', () => {
  const ofMint = (mint: string) => ok(`/v1/assets/risk-summary?mint=${mint}`);

  it('of a mint without a market is the score of wrapped SOL with a reason', async () => {
    const perfect = { score: 100, grade: 'A', label: 'Established', tone: 'safe', hasInsufficientData: false };
    expect(await ofMint(SOL)).toMatchObject({ ...perfect, insufficientDataReason: null });
    const reason = 'Market snapshot not available in cache';
    expect(await ofMint(UNKNOWN)).toMatchObject({ ...perfect, insufficientDataReason: reason });
    expect(await ofMint(addressOf('solana/scnSOL'))).toMatchObject({ ...perfect, insufficientDataReason: reason });
  });

  it('accepts `address` too', async () => {
    expect(await ok(`/v1/assets/risk-summary?address=${USDC}`)).toEqual(await ofMint(USDC));
  });

  it('of a variant without a market is not found', async () => {
    const idle = addressOf('solana/scnSOL');
    for (const view of ['risk-summary', 'risk-details']) {
      const { risk } = await asset('solana', `/${view}?mint=${idle}`);
      expect(keys(risk)).toEqual(['message', 'ok', 'reason']);
      expect(risk).toMatchObject({ ok: false, reason: 'not_found' });
    }
  });

  const FLAT = ['score', 'grade', 'label', 'tone', 'isTrustedLaunch', 'caps'];
  const VERDICTS = {
    A: { label: 'Established', tone: 'safe', from: 85 },
    B: { label: 'Speculative', tone: 'warning', from: 70 },
    C: { label: 'Weak Metrics', tone: 'risk', from: 0 },
  };
  const traded = KNOWN_MINTS.flatMap((mint) => knownVariant(mint) ?? []).filter(
    ({ asset: { origin }, pools }) => origin === 'curated' && pools > 0,
  );

  it.each(traded.map(({ asset: { id }, symbol, mint }) => [`${id} ${symbol}`, id, mint]))(
    'of %s is the same on all routes and fits its metrics',
    async (_, id, mint) => {
      const { risk } = await asset(id, `/risk-details?mint=${mint}`);
      const { marketScore: score, marketScoreInput: input } = risk;
      const flat = Object.fromEntries(Object.entries(score).filter(([name]) => FLAT.includes(name)));
      expect(await ofMint(mint)).toEqual({ ...flat, hasInsufficientData: false, insufficientDataReason: null });
      expect((await asset(id, `/risk-summary?mint=${mint}`)).risk.marketScore).toEqual(score);
      const { market } = await asset(id, `/variant-market?mint=${mint}`);
      const [day, holders] = [market.volume24hUSD, market.holder];
      expect(input).toMatchObject({
        volume24hUsd: day,
        volume7dUsd: day * 7,
        holderCount: holders,
        tokenMintTime: null,
      });
      const { from, ...verdict } = VERDICTS[score.grade as keyof typeof VERDICTS];
      expect(score).toMatchObject({ ...verdict, isTrustedLaunch: false, tokenAgeDays: null });
      expect(score.score).toBeGreaterThanOrEqual(from);
    },
  );
});

describe('profile and tickers', () => {
  it('are empty for an asset that CoinGecko does not know', async () => {
    expect((await asset('tesla', '/tickers?offset=7&limit=0&order=fish')).tickers).toEqual({
      rows: [],
      offset: 0,
      limit: 0,
    });
    expect((await asset('tesla', '/profile')).profile).toMatchObject({ ok: false, reason: 'not_available' });
  });

  it('are complete for a known asset', async () => {
    const { tickers } = await asset('sp500', '/tickers?order=');
    expect(tickers).toMatchObject({ total: 9, offset: 0, limit: 50 });
    expect((await asset('sp500', '/profile')).profile.ok).toBe(true);
  });
});
