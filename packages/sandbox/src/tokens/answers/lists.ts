import { ASSETS, type Resolution, resolveMint, resolveReference } from '../catalogue.ts';
import { type Asset, CATEGORIES, LISTS, type ListId } from '../model.ts';
import { checkedMint, limitOf, textOf, wordOf } from '../parameters.ts';
import { badRequest, notFound } from '../refusal.ts';
import type { Asked } from './asked.ts';
import { assetRow, listedVariants, mintRow, STRATEGY, variantBrief } from './shapes.ts';

const LIST_ALIASES: Readonly<Record<string, ListId>> = { stables: 'currencies', xstocks: 'etfs' };

/** The liveness of the upstream. */
export const health = () => ({ ok: true });

// 0 is no match at all; the better the match, the higher.
function relevance(asset: Asset, wanted: string): number {
  const own = [asset.id, asset.symbol, asset.name, ...asset.aliases].map((word) => word.toLowerCase());
  if (own.includes(wanted)) {
    return 5;
  }
  const tokens = asset.variants.flatMap((variant) => [variant.symbol.toLowerCase(), variant.mint.toLowerCase()]);
  if (tokens.includes(wanted)) {
    return 4;
  }
  if (own.some((word) => word.startsWith(wanted))) {
    return 3;
  }
  const names = asset.variants.map((variant) => variant.name.toLowerCase());
  if (own.some((word) => word.includes(wanted))) {
    return 2;
  }
  return [...tokens, ...names].some((word) => word.includes(wanted)) ? 1 : 0;
}

/** The assets whose names match a text, the best match and then the largest first. */
export function search({ query, now }: Asked) {
  const text = textOf(query, 'q');
  if (text === undefined) {
    throw badRequest('Missing q');
  }
  const limit = limitOf(query, { limit: 20, maximum: 50 });
  const category = wordOf(query, 'category', CATEGORIES, 'categories');
  const matches = ASSETS.filter((asset) => category === undefined || asset.category === category)
    .map((asset) => ({ asset, rank: relevance(asset, text.toLowerCase()), size: asset.price * asset.supply }))
    .filter(({ rank }) => rank > 0)
    .toSorted((a, b) => b.rank - a.rank || b.size - a.size);
  return {
    query: text,
    category: category ?? null,
    primaryVariantStrategy: STRATEGY,
    results: matches.slice(0, limit).map(({ asset }) => assetRow(asset, now)),
  };
}

function found(query: URLSearchParams): Resolution {
  const mint = textOf(query, 'mint');
  if (mint !== undefined) {
    return resolveMint(checkedMint(mint));
  }
  const reference = textOf(query, 'ref');
  if (reference === undefined) {
    throw badRequest('Missing mint or ref');
  }
  const resolution = resolveReference(reference);
  if (resolution === undefined) {
    throw notFound('Asset not found');
  }
  return resolution;
}

/** The asset that a mint or another reference stands for; a mint that nobody knows is an asset of its own. */
export function resolve({ query }: Asked) {
  const { asset, resolvedBy, variant } = found(query);
  const { id: assetId, name, symbol, category, aliases } = asset;
  return {
    assetId,
    resolvedBy,
    mint: variant?.mint ?? null,
    asset: { assetId, name, symbol, category, aliases },
    variant: variant && { ...variantBrief(variant), chain: 'solana' },
  };
}

function listOf(query: URLSearchParams): ListId {
  const text = textOf(query, 'list') ?? 'all';
  return LIST_ALIASES[text] ?? LISTS.find((id) => id === text) ?? 'all';
}

/** A curated list; one that is unknown is the list of everything. */
export function curated({ query, now }: Asked) {
  const listId = listOf(query);
  const groupBy = wordOf(query, 'groupBy', ['asset', 'mint']) ?? 'asset';
  const listed = ASSETS.filter((asset) => listId === 'all' || asset.lists.includes(listId));
  const variants = listed
    .flatMap((asset) => listedVariants(asset, false))
    .filter((variant) => listId !== 'lsts' || variant.kind === 'lst');
  return {
    listId,
    primaryVariantStrategy: STRATEGY,
    assets:
      groupBy === 'mint'
        ? variants.map((variant) => mintRow(variant, now))
        : listed.map((asset) => assetRow(asset, now)),
  };
}
