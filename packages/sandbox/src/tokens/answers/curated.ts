import { preMarketOf } from '../canonical.ts';
import { ASSETS, stakePoolRank } from '../catalogue.ts';
import { type Asset, type Kind, LISTS, type ListId, type Variant } from '../model.ts';
import { pageOf } from '../parameters.ts';
import { byLiquidity, type Choice, STRATEGY, type Strategy, strategyOf } from '../primary.ts';
import { assetStats } from '../stats.ts';
import type { RouteRequest } from './request.ts';
import { assetRow, variantView, wantsVariants } from './shapes.ts';
import { isDeep, isListed, isStaked, wantsAll } from './variants.ts';

const GROUPS = ['spot', 'etf', 'yield', 'leveraged', 'basket', 'lst', 'tokenizedEquity'] as const;
type Group = (typeof GROUPS)[number];

const GROUP_OF: Readonly<Record<Kind, Group>> = {
  native: 'spot',
  wrapped: 'spot',
  bridged: 'spot',
  stablecoin: 'spot',
  spot: 'spot',
  etf: 'etf',
  yield: 'yield',
  leveraged: 'leveraged',
  basket: 'basket',
  lst: 'lst',
  tokenized_equity: 'tokenizedEquity',
};

/** A variant with its rank in its asset and its pre-market block. */
function rankedView(variant: Variant, rank: number, now: number) {
  const block = preMarketOf(variant, now);
  const view = { ...variantView(variant, now), rank };
  if (block === undefined) return view;
  const { price: _, ...preStocks } = block;
  return { ...view, preStocks };
}

/** Which staked coins are shown: all listed ones, or the deep ones and the requested one. */
interface Shown {
  readonly all: boolean;
  readonly requested: Variant | undefined;
}

/** The variants of an asset by group, most liquid first. */
export function variantGroups(asset: Asset, { all, requested }: Shown, now: number) {
  const isShown = (variant: Variant): boolean =>
    !isStaked(variant) || (isListed(variant) && (all || variant === requested || isDeep(variant, now)));
  const ranked = asset.variants.toSorted(byLiquidity(now)).map((variant, rank) => ({ variant, rank }));
  const grouped = GROUPS.map((group) => {
    const members = ranked.filter(({ variant }) => GROUP_OF[variant.kind] === group && isShown(variant));
    return [group, members.map(({ variant, rank }) => rankedView(variant, rank, now))] as const;
  });
  return Object.fromEntries(grouped);
}

/** The primary variant on the page of its asset. */
export function rankedPrimary(primary: Variant, now: number) {
  const rank = primary.asset.variants.toSorted(byLiquidity(now)).indexOf(primary);
  return rankedView(primary, rank, now);
}

const ALIASES: Readonly<Record<string, ListId>> = { stables: 'currencies', xstocks: 'etfs' };
const PAGE = { limit: 250, maximum: 500 };

function listOf(query: URLSearchParams): ListId {
  const text = query.get('list')?.trim() ?? 'all';
  return ALIASES[text] ?? LISTS.find((id) => id === text) ?? 'all';
}

const strategyOfList = (list: ListId): Strategy => (list === 'stocks' ? 'stock_redeemability' : STRATEGY);

const choiceOf = (asset: Asset): Choice => ({ strategy: strategyOf(asset), isListed: true });

/** The variants that a list shows. The list of staked coins shows only what Sanctum lists. */
function shownIn(list: ListId, query: URLSearchParams, now: number): (variant: Variant) => boolean {
  return (variant) => {
    const isBounded = list === 'lsts' || (list === 'all' && isStaked(variant));
    if (variant.asset.id !== 'solana' || !isBounded) return true;
    return isListed(variant) && (wantsAll(query) || isDeep(variant, now));
  };
}

const byStakePool = (a: Variant, b: Variant): number =>
  (stakePoolRank(a.mint) ?? Number.MAX_SAFE_INTEGER) - (stakePoolRank(b.mint) ?? Number.MAX_SAFE_INTEGER);

const volumeOf = (asset: Asset, now: number): number => assetStats(asset, now)?.volume24hUSD ?? 0;

// One row per mint, with the names and figures of its asset.
function mintRows(assets: readonly Asset[], { list, query, now }: Listing) {
  const shown = assets.flatMap((asset) => asset.variants.filter(shownIn(list, query, now)));
  const variants = list === 'lsts' ? shown.toSorted(byStakePool) : shown;
  return variants.map((variant) => ({
    ...assetRow(variant.asset, { choice: choiceOf(variant.asset) }, now),
    primaryVariant: variantView(variant, now),
  }));
}

function assetRows(assets: readonly Asset[], { list, query, now }: Listing) {
  const variants = wantsVariants(query) ? { variants: shownIn(list, query, now) } : {};
  return assets.map((asset) => assetRow(asset, { choice: choiceOf(asset), ...variants }, now));
}

interface Listing {
  readonly list: ListId;
  readonly query: URLSearchParams;
  readonly now: number;
}

function page<T>(rows: readonly T[], query: URLSearchParams) {
  if (!query.has('limit') && !query.has('offset')) return { assets: rows };
  const { offset, limit } = pageOf(query, PAGE);
  const assets = rows.slice(offset, offset + limit);
  const next = offset + assets.length;
  const hasMore = next < rows.length;
  return { pagination: { offset, limit, total: rows.length, hasMore, nextOffset: hasMore ? next : null }, assets };
}

/** A curated list, most traded first. An unknown list is the list of all; pages are optional. */
export function curated({ query, now }: RouteRequest) {
  const list = listOf(query);
  const listing = { list, query, now };
  const listed = ASSETS.filter((asset) => list === 'all' || asset.lists.includes(list));
  const sorted = listed.toSorted((a, b) => volumeOf(b, now) - volumeOf(a, now));
  const rows = query.get('groupBy') === 'mint' ? mintRows(sorted, listing) : assetRows(sorted, listing);
  return { listId: list, primaryVariantStrategy: strategyOfList(list), ...page(rows, query) };
}
