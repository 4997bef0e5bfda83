import { symbolOf } from '../canonical.ts';
import { knownVariant, type Resolution, resolveReference, singleton } from '../catalogue.ts';
import { metricsOf } from '../market.ts';
import type { Asset, Variant } from '../model.ts';
import { checkedMint, textOf } from '../parameters.ts';
import { primaryVariant } from '../primary.ts';
import { badRequest, notFound } from '../refusal.ts';
import type { RouteRequest } from './request.ts';
import { labelOf, variantBrief } from './shapes.ts';

/** The resolved asset and the variant to show. */
interface Found extends Resolution {
  readonly variant: Variant | null;
  /** Whether to show the names of the variant. */
  readonly named: boolean;
}

// Here a mint of no curated asset is its own asset, also if it is staked.
function byMint(mint: string): Found {
  const variant = knownVariant(mint);
  if (variant?.asset.origin === 'curated') {
    return { asset: variant.asset, resolvedBy: 'mint', mint, variant, named: true };
  }
  const asset = singleton(mint);
  return { asset, resolvedBy: 'singleton', mint, variant: asset.variants[0] ?? null, named: false };
}

// Shows the primary variant regardless of the reference, chosen without trade counts.
function byReference(reference: string, now: number): Found {
  const found = resolveReference(reference);
  if (found === undefined) {
    throw notFound('Asset not found');
  }
  return { ...found, variant: primaryVariant(found.asset, now, { metrics: ['volume24hUSD'] }), named: false };
}

function found({ query, now }: RouteRequest): Found {
  const mint = textOf(query, 'mint');
  if (mint !== undefined) {
    return byMint(checkedMint(mint));
  }
  const reference = textOf(query, 'ref');
  if (reference === undefined) {
    throw badRequest('mint or ref is required');
  }
  return byReference(reference, now);
}

// The symbol of a share has priority over that of the asset.
function namesOf(asset: Asset) {
  if (asset.origin !== 'curated') {
    return { name: asset.name ?? null, symbol: asset.symbol ?? null };
  }
  return { name: asset.name, symbol: asset.category === 'equity' ? symbolOf(asset) : asset.symbol };
}

/** Resolves a mint or another reference; an unknown mint is its own asset. */
export function resolve(request: RouteRequest) {
  const { asset, resolvedBy, mint, variant, named } = found(request);
  const { id: assetId, category, aliases } = asset;
  const isTraded = named && variant !== null && metricsOf(variant, request.now) !== null;
  return {
    assetId,
    resolvedBy,
    mint,
    asset: { assetId, ...namesOf(asset), category, aliases },
    variant: variant && {
      ...variantBrief(variant),
      label: labelOf(variant),
      chain: 'solana',
      ...(isTraded && { symbol: variant.symbol, name: variant.name }),
    },
  };
}
