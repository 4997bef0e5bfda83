import { ASSETS, isStakePool, TOKEN_ASSETS } from '../catalogue.ts';
import { type Asset, CATEGORIES } from '../model.ts';
import { limitOf, textOf, wordOf } from '../parameters.ts';
import { STRATEGY } from '../primary.ts';
import { badRequest } from '../refusal.ts';
import type { RouteRequest } from './request.ts';
import { assetRow, wantsVariants } from './shapes.ts';

const lower = (words: readonly (string | undefined)[]): string[] =>
  words.flatMap((word) => (word === undefined ? [] : [word.toLowerCase()]));

// 0 is no match; better matches are higher.
function relevance(asset: Asset, wanted: string): number {
  const own = lower([asset.id, asset.symbol, asset.name, ...asset.aliases, ...(asset.addedAliases ?? [])]);
  if (own.includes(wanted)) {
    return 5;
  }
  const tokens = lower(asset.variants.flatMap(({ symbol, mint }) => [symbol, mint]));
  if (tokens.includes(wanted)) {
    return 4;
  }
  if (own.some((word) => word.startsWith(wanted))) {
    return 3;
  }
  if (own.some((word) => word.includes(wanted))) {
    return 2;
  }
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
  if (text === undefined) {
    throw badRequest('Missing required query param: q');
  }
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
