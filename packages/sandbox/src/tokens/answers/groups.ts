import type { Asset, Kind, Variant } from '../model.ts';
import { preMarketOf } from '../pre-market.ts';
import { byLiquidity } from '../primary.ts';
import { variantView } from './shapes.ts';
import { isDeep, isListed, isStaked } from './yields.ts';

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
  if (block === undefined) {
    return view;
  }
  const { price: _, ...preStocks } = block;
  return { ...view, preStocks };
}

/** Which staked coins are shown: all listed ones, or the deep ones and the requested one. */
export interface Shown {
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
