import { listedMarket, symbolOf } from '../canonical.ts';
import { executionQuality, imageOf, marketSnapshot, tierOf } from '../market.ts';
import type { Asset, Variant } from '../model.ts';
import { byLiquidity, type Choice, primaryVariant } from '../primary.ts';
import { assetStats } from '../stats.ts';

/** A variant without its market and names. */
export function variantBrief(variant: Variant) {
  const tier = tierOf(variant);
  const { mint, kind, tags = [], issuer, issuerUrl, label, stockVariantTier } = variant;
  return { mint, kind, tags, issuer, issuerUrl, label, stockVariantTier, liquidityTier: tier, trustTier: tier };
}

/** The label of a variant; for an uncurated token, its symbol. */
export const labelOf = ({ asset, symbol, label }: Variant): string | undefined =>
  asset.origin === 'curated' ? label : symbol;

/** The id of a variant within its asset. */
export const variantIdOf = ({ asset, mint, symbol }: Variant): string =>
  `${asset.id}:${asset.origin === 'curated' ? symbol : mint.slice(0, 8)}`;

/** A variant with its market, as most routes return it. */
export function variantView(variant: Variant, now: number) {
  const { symbol, name } = variant;
  return {
    variantId: variantIdOf(variant),
    ...variantBrief(variant),
    symbol,
    name,
    market: marketSnapshot(variant, now),
    executionQuality: executionQuality(variant, now),
  };
}

/** How to choose the primary variant, and which variants to include. */
export interface RowOptions {
  readonly choice?: Choice;
  /** A filter for the included variants; default: none. */
  readonly variants?: (variant: Variant) => boolean;
}

const ranked = (variants: readonly Variant[], now: number) =>
  variants.toSorted(byLiquidity(now)).map((variant) => variantView(variant, now));

/** An asset in search and curated lists. */
export function assetRow(asset: Asset, { choice, variants }: RowOptions, now: number) {
  const primary = primaryVariant(asset, now, choice);
  const symbol = symbolOf(asset);
  return {
    assetId: asset.id,
    name: asset.name,
    symbol,
    category: asset.category,
    imageUrl: imageOf(symbol),
    stats: assetStats(asset, now),
    canonicalMarket: listedMarket(asset, now),
    primaryVariant: primary && variantView(primary, now),
    variants: variants && ranked(asset.variants.filter(variants), now),
  };
}

/** Whether a request wants all variants in each row. */
export const wantsVariants = (query: URLSearchParams): boolean => query.get('variants')?.trim() === 'all';
