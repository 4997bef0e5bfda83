import { primaryVariant } from '../canonical.ts';
import { type Resolution, resolveReference } from '../catalogue.ts';
import type { Asset, Variant } from '../model.ts';
import { checkedMint, textOf } from '../parameters.ts';
import { badRequest, notFound } from '../refusal.ts';

/** What a route is asked: decoded path segment, query, body, and the time in milliseconds. */
export interface Asked {
  readonly reference: string;
  readonly query: URLSearchParams;
  readonly body: string;
  readonly now: number;
}

/** The asset that the path names. */
export function resolutionOf(asked: Asked): Resolution {
  const found = resolveReference(asked.reference);
  if (found === undefined) {
    throw notFound('Asset not found');
  }
  return found;
}

/** The variant that `mint` names, when the request names one. */
export function namedVariant(asked: Asked, asset: Asset): Variant | undefined {
  const mint = textOf(asked.query, 'mint');
  if (mint === undefined) {
    return undefined;
  }
  const variant = asset.variants.find((candidate) => candidate.mint === checkedMint(mint));
  if (variant === undefined) {
    throw badRequest('Mint is not a variant of this asset');
  }
  return variant;
}

/** The asset that the path names and the variant that the request is about: the named one, else the primary one. */
export function chosen(asked: Asked): { asset: Asset; variant: Variant } {
  const { asset, variant: own } = resolutionOf(asked);
  const variant = namedVariant(asked, asset) ?? own ?? primaryVariant(asset);
  if (variant === null) {
    throw notFound('No primary variant available');
  }
  return { asset, variant };
}
