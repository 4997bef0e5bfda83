import { symbolOf } from '../canonical.ts';
import { knownVariant, type Resolution, resolveReference, singleton } from '../catalogue.ts';
import { metricsOf } from '../market.ts';
import type { Asset, Variant } from '../model.ts';
import { checkedMint, textOf } from '../parameters.ts';
import { primaryVariant } from '../primary.ts';
import { badRequest, notFound } from '../refusal.ts';
import type { Asked } from './asked.ts';
import { labelOf, variantBrief } from './shapes.ts';

/** How a route finds its asset, and the variant that it shows of it. */
interface Found extends Resolution {
  readonly variant: Variant | null;
  /** Whether the names of the variant are shown too. */
  readonly named: boolean;
}

// A mint that is not a variant of anything curated is an asset of its own here, staked or not.
function byMint(mint: string): Found {
  const variant = knownVariant(mint);
  if (variant?.asset.origin === 'curated') {
    return { asset: variant.asset, resolvedBy: 'mint', mint, variant, named: true };
  }
  const asset = singleton(mint);
  return { asset, resolvedBy: 'singleton', mint, variant: asset.variants[0] ?? null, named: false };
}

// The variant is the asset's primary one, whichever the reference named; trades are not counted for it here.
function byReference(reference: string, now: number): Found {
  const found = resolveReference(reference);
  if (found === undefined) {
    throw notFound('Asset not found');
  }
  return { ...found, variant: primaryVariant(found.asset, now, { metrics: ['volume24hUSD'] }), named: false };
}

function found({ query, now }: Asked): Found {
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

// What is known of a share goes before what is known of the asset.
function namesOf(asset: Asset) {
  if (asset.origin !== 'curated') {
    return { name: asset.name ?? null, symbol: asset.symbol ?? null };
  }
  return { name: asset.name, symbol: asset.category === 'equity' ? symbolOf(asset) : asset.symbol };
}

/** The asset that a mint or another reference stands for; a mint that nobody knows is an asset of its own. */
export function resolve(asked: Asked) {
  const { asset, resolvedBy, mint, variant, named } = found(asked);
  const { id: assetId, category, aliases } = asset;
  const isTraded = named && variant !== null && metricsOf(variant, asked.now) !== null;
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
