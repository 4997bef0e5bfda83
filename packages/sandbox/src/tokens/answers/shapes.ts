import { assetStats, canonicalMarket, primaryVariant, variantStats } from '../canonical.ts';
import { executionQuality, imageOf, marketSnapshot, tierOf } from '../market.ts';
import type { Asset, Kind, Variant } from '../model.ts';

/** How the upstream picks the primary variant when nobody says. */
export const STRATEGY = 'liquidity';

/** A variant without its market. */
export function variantBrief(variant: Variant) {
  const tier = tierOf(variant);
  const { mint, kind, tags = [], issuer, label, symbol, name } = variant;
  return { mint, kind, liquidityTier: tier, trustTier: tier, tags, issuer, label, symbol, name };
}

/** A variant with its market, as most routes give it. */
export function variantView(variant: Variant, now: number) {
  return {
    variantId: `${variant.asset.id}:${variant.mint}`,
    ...variantBrief(variant),
    issuerUrl: variant.issuerUrl,
    market: marketSnapshot(variant, now),
    executionQuality: executionQuality(variant, now),
  };
}

/** An asset as search and the curated lists give it. */
export function assetRow(asset: Asset, now: number) {
  const primary = primaryVariant(asset);
  return {
    assetId: asset.id,
    name: asset.name,
    symbol: asset.symbol,
    category: asset.category,
    imageUrl: imageOf(asset.symbol),
    stats: assetStats(asset, now),
    canonicalMarket: canonicalMarket(asset, now),
    primaryVariant: primary && variantView(primary, now),
  };
}

/** A variant as the curated lists give it when they are grouped by mint. */
export function mintRow(variant: Variant, now: number) {
  return {
    assetId: variant.asset.id,
    name: variant.name,
    symbol: variant.symbol,
    category: variant.asset.category,
    imageUrl: imageOf(variant.symbol),
    stats: variantStats(variant, now),
    primaryVariant: variantView(variant, now),
  };
}

const GROUPS = ['spot', 'etf', 'yield', 'leveraged', 'basket', 'lst', 'tokenizedEquity'] as const;
type Group = (typeof GROUPS)[number];

const GROUP_OF: Readonly<Record<Kind, Group>> = {
  native: 'spot',
  wrapped: 'spot',
  bridged: 'spot',
  stablecoin: 'spot',
  spot: 'spot',
  etf: 'etf',
  yield: 'yield',
  leveraged: 'leveraged',
  basket: 'basket',
  lst: 'lst',
  tokenized_equity: 'tokenizedEquity',
};

/** The variants of an asset that are listed: those without pools only when all are asked for. */
export function listedVariants(asset: Asset, all: boolean): Variant[] {
  const listed = asset.variants.filter((variant) => all || variant.pools > 0 || asset.origin === 'singleton');
  return listed.toSorted((a, b) => b.liquidity - a.liquidity);
}

/** Variants by the group that their kind belongs to, the most liquid first. */
export function variantGroups(variants: readonly Variant[], now: number) {
  const grouped = GROUPS.map((group) => {
    const members = variants.filter((variant) => GROUP_OF[variant.kind] === group);
    return [group, members.map((variant, index) => ({ ...variantView(variant, now), rank: index + 1 }))] as const;
  });
  return Object.fromEntries(grouped);
}
