import { fetchedAt, imageOf, metricsOf, narrowSnapshot, rawMarket, tierOf } from '../market.ts';
import { type Asset, KINDS, TIERS, type Tier, type Variant } from '../model.ts';
import { checkedMint, pageOf, textOf, wordOf } from '../parameters.ts';
import { poolCount, poolsOf, protocolToken, topPools } from '../pools.ts';
import { byLiquidity, STRATEGY } from '../primary.ts';
import { badRequest } from '../refusal.ts';
import { type Asked, chosen, chosenOf, namedVariant, resolutionOf, resolutionWithin } from './asked.ts';
import { labelOf, variantBrief, variantView } from './shapes.ts';
import { isDeep, isListed, isStaked, wantsAll } from './yields.ts';

function tierNamed(query: URLSearchParams, name: string): Tier | undefined {
  const raw = query.get(name);
  const text = raw?.trim().toLowerCase();
  const tier = text === 'experimental' ? 'tier3' : TIERS.find((candidate) => candidate === text);
  if (raw && tier === undefined) {
    throw badRequest(`Invalid ${name}: ${raw}`, { allowed: TIERS });
  }
  return tier;
}

function tierFilter(query: URLSearchParams): Tier | undefined {
  const [liquidity, trust] = [tierNamed(query, 'liquidityTier'), tierNamed(query, 'trustTier')];
  if (liquidity !== undefined && trust !== undefined && liquidity !== trust) {
    throw badRequest('liquidityTier and trustTier differ');
  }
  return liquidity ?? trust;
}

// Whether a mint is the one of an asset of its own is not looked at.
function variantOf(asked: Asked, asset: Asset): Variant | undefined {
  const mint = textOf(asked.query, 'mint');
  if (asset.origin === 'curated' || mint === undefined) {
    return namedVariant(asked, asset);
  }
  checkedMint(mint);
  return undefined;
}

// Solana's come from a view of their own, unless all of them are wanted.
const viewOf = (variant: Variant, isNarrow: boolean, now: number) => ({
  ...variantView(variant, now),
  label: labelOf(variant),
  ...(isNarrow && { market: narrowSnapshot(variant, now) }),
});

/** The variants of an asset that pass the filters; `mint` only makes sure that its variant is among them. */
export function variants(asked: Asked) {
  const { query, now } = asked;
  const kind = wordOf(query, 'kind', KINDS);
  const tier = tierFilter(query);
  const { asset } = resolutionOf(asked);
  const named = variantOf(asked, asset);
  const all = wantsAll(query);
  const rows = asset.variants
    .filter((variant) => kind === undefined || variant.kind === kind)
    .filter((variant) => tier === undefined || tierOf(variant) === tier)
    .filter((variant) => all || !isStaked(variant) || variant === named || isDeep(variant, now))
    .toSorted(byLiquidity(now));
  const isNarrow = asset.id === 'solana' && !all;
  return { assetId: asset.id, sortBy: STRATEGY, variants: rows.map((variant) => viewOf(variant, isNarrow, now)) };
}

function topRow(variant: Variant, now: number) {
  const top = topPools(variant, now);
  if (top === undefined) {
    return [];
  }
  const { mint, kind, label, stockVariantTier, liquidityTier, trustTier } = variantBrief(variant);
  const { symbol, name } = variant;
  const names = { label, stockVariantTier, symbol, name, logoURI: imageOf(symbol) ?? undefined };
  return [{ mint, kind, liquidityTier, trustTier, ...names, ...top }];
}

/** The busiest market of each variant of an asset, the busiest first; variants without one are left out. */
export function variantTopMarkets(asked: Asked) {
  const { query, now } = asked;
  const page = pageOf(query, { limit: 50, maximum: 100 });
  const { asset } = resolutionOf(asked);
  const isShown = (variant: Variant): boolean =>
    !isStaked(variant) || (isListed(variant) && (wantsAll(query) || isDeep(variant, now)));
  const rows = asset.variants
    .filter(isShown)
    .flatMap((variant) => topRow(variant, now))
    .toSorted((a, b) => b.topMarket.volume24h - a.topMarket.volume24h || a.mint.localeCompare(b.mint));
  return {
    assetId: asset.id,
    total: rows.length,
    ...page,
    variants: rows.slice(page.offset, page.offset + page.limit),
    lastUpdatedAt: rows.length === 0 ? null : fetchedAt(now),
  };
}

const lastUpdatedAt = (variant: Variant, now: number): number | null =>
  metricsOf(variant, now) === null ? null : fetchedAt(now);

/** The market of one variant: the one that `mint` names, else the primary one, whatever the path names. */
export function variantMarket(asked: Asked) {
  const { now } = asked;
  const { asset } = resolutionWithin(asked, ['curated']);
  const variant = chosenOf(asked, asset);
  const { mint } = variant;
  return { assetId: asset.id, mint, market: rawMarket(variant, now), lastUpdatedAt: lastUpdatedAt(variant, now) };
}

/** The DEX markets of one variant, the deepest first. */
export function markets(asked: Asked) {
  const { query, now } = asked;
  const { asset, variant } = chosen(asked);
  const page = pageOf(query, { limit: 10, maximum: 50 });
  const pools = poolsOf(variant, page, now);
  const tokens = pools.map(({ address, source }) => [address, protocolToken(source, now)] as const);
  return {
    assetId: asset.id,
    mint: variant.mint,
    markets: pools.map(({ source: _, ...pool }) => pool),
    protocolTokensByMarket: Object.fromEntries(tokens.filter(([, token]) => token !== undefined)),
    total: poolCount(variant, now),
    ...page,
    lastUpdatedAt: lastUpdatedAt(variant, now),
  };
}
