import { symbolOf } from '../canonical.ts';
import {
  ASSETS,
  isStakePool,
  knownVariant,
  type Resolution,
  resolveReference,
  singleton,
  TOKEN_ASSETS,
} from '../catalogue.ts';
import { metricsOf } from '../market.ts';
import { type Asset, CATEGORIES, type Variant } from '../model.ts';
import { badRequest, checkedMint, limitOf, notFound, textOf, wordOf } from '../parameters.ts';
import { primaryVariant, STRATEGY } from '../primary.ts';
import type { RouteRequest } from './request.ts';
import { assetRow, labelOf, variantBrief, wantsVariants } from './shapes.ts';

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
  if (found === undefined) throw notFound('Asset not found');
  return { ...found, variant: primaryVariant(found.asset, now, { metrics: ['volume24hUSD'] }), named: false };
}

function found({ query, now }: RouteRequest): Found {
  const mint = textOf(query, 'mint');
  if (mint !== undefined) return byMint(checkedMint(mint));
  const reference = textOf(query, 'ref');
  if (reference === undefined) throw badRequest('mint or ref is required');
  return byReference(reference, now);
}

// The symbol of a share has priority over that of the asset.
function namesOf(asset: Asset) {
  if (asset.origin !== 'curated') return { name: asset.name ?? null, symbol: asset.symbol ?? null };
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

const lower = (words: readonly (string | undefined)[]): string[] =>
  words.flatMap((word) => (word === undefined ? [] : [word.toLowerCase()]));

// 0 is no match; better matches are higher.
function relevance(asset: Asset, wanted: string): number {
  const own = lower([asset.id, asset.symbol, asset.name, ...asset.aliases, ...(asset.addedAliases ?? [])]);
  if (own.includes(wanted)) return 5;
  const tokens = lower(asset.variants.flatMap(({ symbol, mint }) => [symbol, mint]));
  if (tokens.includes(wanted)) return 4;
  if (own.some((word) => word.startsWith(wanted))) return 3;
  if (own.some((word) => word.includes(wanted))) return 2;
  const names = lower(asset.variants.map(({ name }) => name));
  return [...tokens, ...names].some((word) => word.includes(wanted)) ? 1 : 0;
}

function matching(assets: readonly Asset[], wanted: string): Asset[] {
  return assets
    .map((asset) => ({ asset, rank: relevance(asset, wanted), size: asset.price * asset.supply }))
    .filter(({ rank }) => rank > 0)
    .toSorted((a, b) => b.rank - a.rank || b.size - a.size)
    .map(({ asset }) => asset);
}

// Here the upstream gives the variant of such an asset another id than on its own page.
function tokenRow(asset: Asset, options: Parameters<typeof assetRow>[1], now: number) {
  const row = assetRow(asset, options, now);
  const named = <T extends object>(variant: T) => ({ ...variant, variantId: `${asset.id}:mint`, label: asset.symbol });
  return {
    ...row,
    primaryVariant: row.primaryVariant && named(row.primaryVariant),
    variants: row.variants?.map(named),
  };
}

/** The assets that match a text, by relevance and then by size; uncurated tokens come last. */
export function search({ query, now }: RouteRequest) {
  const limit = limitOf(query, { limit: 20, maximum: 50 });
  const text = textOf(query, 'q');
  if (text === undefined) throw badRequest('Missing required query param: q');
  const category = wordOf(query, 'category', CATEGORIES);
  const takesCoins = category === undefined || category === 'crypto';
  const wanted = takesCoins && isStakePool(text) ? 'solana' : text.toLowerCase();
  const assets = ASSETS.filter((asset) => category === undefined || asset.category === category);
  const options = wantsVariants(query) ? { variants: () => true } : {};
  const rows = [
    ...matching(assets, wanted).map((asset) => () => assetRow(asset, options, now)),
    ...matching(takesCoins ? TOKEN_ASSETS : [], text.toLowerCase()).map((asset) => () => tokenRow(asset, options, now)),
  ];
  return {
    query: text,
    category: category ?? null,
    primaryVariantStrategy: STRATEGY,
    results: rows.slice(0, limit).map((row) => row()),
  };
}
