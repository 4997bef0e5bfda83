import { ASSETS, type Asset, knownVariant, relevance } from '../catalogue.ts';
import { assetRow, primaryOf, statsOf, variantBrief } from '../market.ts';
import { checkedMint, limitOf, type RouteRequest, resolutionOf } from './request.ts';

const primaryVariantStrategy = 'liquidity';

/** Resolves a mint or another reference. An unknown mint is its own asset. */
export function resolve({ query }: RouteRequest) {
  const named = query.get('mint');
  const { asset, resolvedBy, mint } = resolutionOf(named === null ? (query.get('ref') ?? '') : checkedMint(named));
  const { id: assetId, name, symbol, category, aliases } = asset;
  const variant = (mint && knownVariant(mint)) || primaryOf(asset);
  return {
    assetId,
    resolvedBy,
    mint,
    asset: { assetId, name: name ?? null, symbol: symbol ?? null, category, aliases },
    variant: variant ? { ...variantBrief(variant), chain: 'solana', symbol: variant.symbol, name: variant.name } : null,
  };
}

const marketCapOf = ({ price, supply }: Asset): number => price * supply;

/** Returns the assets that match a text, by relevance and then by size. */
export function search({ query, now }: RouteRequest) {
  const limit = limitOf(query, 20);
  const [text, category] = [query.get('q') ?? '', query.get('category')];
  const rows = ASSETS.filter((asset) => category === null || asset.category === category)
    .map((asset) => ({ asset, rank: relevance(asset, text.trim().toLowerCase()) }))
    .filter(({ rank }) => rank > 0)
    .toSorted((a, b) => b.rank - a.rank || marketCapOf(b.asset) - marketCapOf(a.asset));
  return {
    query: text,
    category,
    primaryVariantStrategy,
    results: rows.slice(0, limit).map(({ asset }) => assetRow(asset, now)),
  };
}

const volumeOf = (asset: Asset, now: number): number => statsOf(asset, now)?.volume24hUSD ?? 0;

/** Returns a curated list, most traded first, with a row per asset or per mint. */
export function curated({ query, now }: RouteRequest) {
  const listId = query.get('list') ?? 'all';
  const listed = ASSETS.filter(({ lists }) => listId === 'all' || lists.includes(listId)).toSorted(
    (a, b) => volumeOf(b, now) - volumeOf(a, now),
  );
  const assets =
    query.get('groupBy') === 'mint'
      ? listed.flatMap((asset) => asset.variants.map((variant) => assetRow(asset, now, variant)))
      : listed.map((asset) => assetRow(asset, now));
  return { listId, primaryVariantStrategy, assets };
}
