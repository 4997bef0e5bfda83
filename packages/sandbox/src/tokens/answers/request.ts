import { type Resolution, resolveReference } from '../catalogue.ts';
import type { Asset, Variant } from '../model.ts';
import { badRequest, checkedMint, notFound, textOf } from '../parameters.ts';
import { primaryVariant } from '../primary.ts';

/** A request: decoded path segment, query, body, and the time in milliseconds. */
export interface RouteRequest {
  readonly reference: string;
  readonly query: URLSearchParams;
  readonly body: string;
  readonly now: number;
}

/** The asset of the path; an unknown mint is an asset too. */
export function resolutionOf(request: RouteRequest): Resolution {
  const found = resolveReference(request.reference);
  if (found === undefined) throw notFound('Asset not found');
  return found;
}

/** The asset of the path, for a route that supports only some origins. */
export function resolutionWithin(request: RouteRequest, origins: readonly Asset['origin'][]): Resolution {
  const found = resolutionOf(request);
  if (!origins.includes(found.asset.origin)) throw notFound('Asset not found');
  return found;
}

/** The variant of an asset with this mint, if any. */
export const variantWith = (asset: Asset, mint: string | null): Variant | undefined =>
  asset.variants.find((variant) => variant.mint === mint);

/** The variant named by `mint`, if any. */
export function namedVariant(request: RouteRequest, asset: Asset): Variant | undefined {
  const text = textOf(request.query, 'mint');
  const variant = text === undefined ? undefined : variantWith(asset, checkedMint(text));
  if (text !== undefined && variant === undefined) {
    throw badRequest('`mint` is not a variant of this asset', { mint: text });
  }
  return variant;
}

/** The variant that the request names, or `own`, or the primary one. */
export function chosenOf(request: RouteRequest, asset: Asset, own?: Variant): Variant {
  if (asset.variants.length === 0) throw notFound('No variants available');
  const variant = namedVariant(request, asset) ?? own ?? primaryVariant(asset, request.now);
  if (variant === null) throw notFound('No primary variant available');
  return variant;
}

/** The curated asset and the variant of a request, which a mint in the path can name too. */
export function chosen(request: RouteRequest): { asset: Asset; variant: Variant } {
  const { asset, mint } = resolutionWithin(request, ['curated']);
  return { asset, variant: chosenOf(request, asset, variantWith(asset, mint)) };
}
