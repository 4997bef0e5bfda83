import { ASSETS, type Variant } from '../catalogue.ts';
import { fetchedAt, imageOf, metricsOf, rawMarket, tierOf, variantBrief, variantWithMarket } from '../market.ts';
import { addressOf, draw, seedOf, significant } from '../seed.ts';
import { chosen, cut, pageOf, type RouteRequest, resolutionOf } from './request.ts';

const EXCHANGES = ['Raydium CLMM', 'Orca Whirlpool', 'Meteora DLMM', 'Raydium', 'PumpSwap'];
const SHOWN_FROM_USD = 250_000;

/** Whether a variant is shown without `variantsMode=all`. Staked coins with little liquidity are not. */
export const isShown = ({ kind, liquidity }: Variant, query: URLSearchParams): boolean =>
  query.get('variantsMode') === 'all' || kind !== 'yield' || liquidity >= SHOWN_FROM_USD;

const tokensNamed = (symbol: string) =>
  ASSETS.flatMap(({ variants }) => variants.filter((variant) => variant.symbol === symbol));

/** The tokens for which others are traded. */
const QUOTES = ['USDC', 'SOL', 'USDT'].flatMap(tokensNamed);

const tokenOf = ({ mint, decimals, symbol, name }: Variant) => ({
  address: mint,
  decimals,
  symbol,
  icon: imageOf(symbol) ?? undefined,
  name,
});

/** Returns the pools of a variant, deepest first; undefined without a market. */
export function poolsOf(variant: Variant, now: number) {
  const metrics = metricsOf(variant, now);
  if (metrics === null) return undefined;
  const weights = Array.from({ length: variant.pools }, (_, rank) => 1 / (rank + 1));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const quotes = QUOTES.filter(({ mint }) => mint !== variant.mint);
  return weights.map((weight, rank) => {
    const address = addressOf(`${variant.mint}/pool/${rank}`);
    const [seed, share] = [seedOf(address), weight / total];
    const quote = quotes[rank % quotes.length] ?? variant;
    const volume24h = significant(metrics.volume24hUSD * share, 8);
    return {
      address,
      name: `${variant.symbol}-${quote.symbol}`,
      base: tokenOf(variant),
      quote: tokenOf(quote),
      source: EXCHANGES[Math.floor(draw(seed, 2) * EXCHANGES.length)],
      liquidity: significant(metrics.liquidity * share, 8),
      volume24h,
      trade24h: Math.ceil(volume24h / 300),
      price: significant(metrics.price * (0.9985 + 0.003 * draw(seed, 3)), 9),
    };
  });
}

/** Returns the variants of an asset that match the filters. */
export function variants({ reference, query, now }: RouteRequest) {
  const { asset } = resolutionOf(reference);
  const [kind, mint] = [query.get('kind'), query.get('mint')];
  const trust = query.get('trustTier');
  const tier = query.get('liquidityTier') ?? (trust === 'experimental' ? 'tier3' : trust);
  const rows = asset.variants.filter(
    (variant) =>
      (kind === null || variant.kind === kind) &&
      (tier === null || tierOf(variant) === tier) &&
      (variant.mint === mint || isShown(variant, query)),
  );
  return { assetId: asset.id, sortBy: 'liquidity', variants: rows.map((variant) => variantWithMarket(variant, now)) };
}

/** Returns each variant's deepest pool. Omits variants without pools. */
export function variantTopMarkets({ reference, query, now }: RouteRequest) {
  const page = pageOf(query, 50);
  const { asset } = resolutionOf(reference);
  const rows = asset.variants
    .filter((variant) => isShown(variant, query))
    .flatMap((variant) => {
      const [topMarket, ...others] = poolsOf(variant, now) ?? [];
      if (topMarket === undefined) return [];
      const { mint, kind, label, stockVariantTier, liquidityTier, trustTier } = variantBrief(variant);
      const { symbol, name, liquidity } = variant;
      const names = { label, stockVariantTier, symbol, name, logoURI: imageOf(symbol) ?? undefined };
      const counts = { marketsTotal: others.length + 1, totalLiquidity: liquidity, lastFetchedAt: fetchedAt(now) };
      return [{ mint, kind, liquidityTier, trustTier, ...names, topMarket, ...counts }];
    });
  return {
    assetId: asset.id,
    total: rows.length,
    ...page,
    variants: cut(rows, page),
    lastUpdatedAt: fetchedAt(now),
  };
}

/** Returns the market of the variant named by `mint`, or of the primary one. */
export function variantMarket(request: RouteRequest) {
  const { asset, variant } = chosen(request);
  const market = rawMarket(variant, request.now);
  return { assetId: asset.id, mint: variant.mint, market, lastUpdatedAt: market?.lastFetchedAt ?? null };
}

/** Returns the DEX markets of a variant, deepest first. */
export function markets(request: RouteRequest) {
  const { asset, variant } = chosen(request);
  const page = pageOf(request.query, 10);
  const pools = poolsOf(variant, request.now);
  return {
    assetId: asset.id,
    mint: variant.mint,
    markets: cut(pools ?? [], page).map(({ source: _, ...pool }) => pool),
    protocolTokensByMarket: {},
    total: pools?.length,
    ...page,
    lastUpdatedAt: pools ? fetchedAt(request.now) : null,
  };
}
