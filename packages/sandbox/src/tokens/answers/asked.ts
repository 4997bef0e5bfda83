import { type Resolution, resolveReference } from '../catalogue.ts';
import type { Asset, Variant } from '../model.ts';
import { checkedMint, textOf } from '../parameters.ts';
import { primaryVariant } from '../primary.ts';
import { badRequest, notFound } from '../refusal.ts';

/** What a route is asked: decoded path segment, query, body, and the time in milliseconds. */
export interface Asked {
  readonly reference: string;
  readonly query: URLSearchParams;
  readonly body: string;
  readonly now: number;
}

/** The asset that the path names; a mint that nobody knows is an asset too. */
export function resolutionOf(asked: Asked): Resolution {
  const found = resolveReference(asked.reference);
  if (found === undefined) {
    throw notFound('Asset not found');
  }
  return found;
}

/** The asset that the path names, for a route that answers only of those of certain origins. */
export function resolutionWithin(asked: Asked, origins: readonly Asset['origin'][]): Resolution {
  const found = resolutionOf(asked);
  if (!origins.includes(found.asset.origin)) {
    throw notFound('Asset not found');
  }
  return found;
}

/** The variant of an asset with this mint, if it has one. */
export const variantWith = (asset: Asset, mint: string | null): Variant | undefined =>
  asset.variants.find((variant) => variant.mint === mint);

/** The variant that `mint` names, when the request names one. */
export function namedVariant(asked: Asked, asset: Asset): Variant | undefined {
  const text = textOf(asked.query, 'mint');
  const variant = text === undefined ? undefined : variantWith(asset, checkedMint(text));
  if (text !== undefined && variant === undefined) {
    throw badRequest('`mint` is not a variant of this asset', { mint: text });
  }
  return variant;
}

/** The variant that a request is about: the one that it names, else the one given, else the primary one. */
export function chosenOf(asked: Asked, asset: Asset, own?: Variant): Variant {
  if (asset.variants.length === 0) {
    throw notFound('No variants available');
  }
  const variant = namedVariant(asked, asset) ?? own ?? primaryVariant(asset, asked.now);
  if (variant === null) {
    throw notFound('No primary variant available');
  }
  return variant;
}

/** The curated asset and the variant that a request is about, which a mint in the path names too. */
export function chosen(asked: Asked): { asset: Asset; variant: Variant } {
  const { asset, mint } = resolutionWithin(asked, ['curated']);
  return { asset, variant: chosenOf(asked, asset, variantWith(asset, mint)) };
}
