import { fetchedAt, imageOf, rawMarket, tierOf } from '../market.ts';
import { KINDS, TIERS, type Tier } from '../model.ts';
import { pageOf, wordOf } from '../parameters.ts';
import { poolCount, poolsOf, topPools } from '../pools.ts';
import { badRequest, notFound } from '../refusal.ts';
import { type Asked, chosen, namedVariant, resolutionOf } from './asked.ts';
import { listedVariants, STRATEGY, variantView } from './shapes.ts';

const wantsAll = (query: URLSearchParams): boolean => wordOf(query, 'variantsMode', ['all']) === 'all';

function tierFilter(query: URLSearchParams): Tier | undefined {
  const liquidity = wordOf(query, 'liquidityTier', TIERS);
  const trust = wordOf(query, 'trustTier', [...TIERS, 'experimental']);
  const mirrored = trust === 'experimental' ? 'tier3' : trust;
  if (liquidity !== undefined && mirrored !== undefined && liquidity !== mirrored) {
    throw badRequest('Conflicting liquidityTier and trustTier');
  }
  return liquidity ?? mirrored;
}

/** The variants of an asset that pass the filters. */
export function variants(asked: Asked) {
  const { query, now } = asked;
  const { asset } = resolutionOf(asked);
  const kind = wordOf(query, 'kind', KINDS);
  const tier = tierFilter(query);
  const named = namedVariant(asked, asset);
  const rows = (named === undefined ? listedVariants(asset, wantsAll(query)) : [named])
    .filter((variant) => kind === undefined || variant.kind === kind)
    .filter((variant) => tier === undefined || tierOf(variant) === tier);
  return { assetId: asset.id, sortBy: STRATEGY, variants: rows.map((variant) => variantView(variant, now)) };
}

/** The deepest market of each variant of an asset. */
export function variantTopMarkets(asked: Asked) {
  const { query, now } = asked;
  const { asset } = resolutionOf(asked);
  const page = pageOf(query, { limit: 50, maximum: 100 });
  const rows = listedVariants(asset, wantsAll(query)).flatMap((variant) => {
    const { mint, kind, label, symbol, name } = variant;
    const tier = tierOf(variant);
    return topPools(variant, now).map((top) => ({
      mint,
      kind,
      liquidityTier: tier,
      trustTier: tier,
      label,
      symbol,
      name,
      logoURI: imageOf(symbol),
      ...top,
    }));
  });
  if (asset.variants.length === 0) {
    throw notFound('No variants available');
  }
  return {
    assetId: asset.id,
    total: rows.length,
    ...page,
    variants: rows.slice(page.offset, page.offset + page.limit),
    lastUpdatedAt: fetchedAt(now),
  };
}

/** The market of one variant. */
export function variantMarket(asked: Asked) {
  const { asset, variant } = chosen(asked);
  const market = rawMarket(variant, asked.now);
  return { assetId: asset.id, mint: variant.mint, market, lastUpdatedAt: fetchedAt(asked.now) };
}

/** The DEX markets of one variant, the deepest first. */
export function markets(asked: Asked) {
  const { query, now } = asked;
  const { asset, variant } = chosen(asked);
  const page = pageOf(query, { limit: 10, maximum: 50 });
  return {
    assetId: asset.id,
    mint: variant.mint,
    markets: poolsOf(variant, page, now).map(({ source: _, ...pool }) => pool),
    protocolTokensByMarket: {},
    total: poolCount(variant, now),
    ...page,
    lastUpdatedAt: fetchedAt(now),
  };
}
