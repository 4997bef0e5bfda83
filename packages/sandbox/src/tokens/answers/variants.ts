import { stakePoolRank } from '../catalogue.ts';
import { fetchedAt, imageOf, metricsOf, narrowSnapshot, rawMarket, tierOf } from '../market.ts';
import { type Asset, KINDS, TIERS, type Tier, type Variant } from '../model.ts';
import { badRequest, checkedMint, pageOf, textOf, wordOf } from '../parameters.ts';
import { poolCount, poolsOf, protocolToken, topPools } from '../pools.ts';
import { byLiquidity, STRATEGY } from '../primary.ts';
import { chosen, chosenOf, namedVariant, type RouteRequest, resolutionOf, resolutionWithin } from './request.ts';
import { labelOf, variantBrief, variantView } from './shapes.ts';

const SOLANA = 'solana';
const SHOWN_FROM_USD = 250_000;

/** Whether a request wants all staked coins of Solana. */
export const wantsAll = (query: URLSearchParams): boolean => query.get('variantsMode')?.trim() === 'all';

/** Whether a variant is a staked coin of Solana. */
export const isStaked = ({ asset, kind }: Variant): boolean => asset.id === SOLANA && kind === 'yield';

/** Whether Sanctum lists a variant. */
export const isListed = ({ mint }: Variant): boolean => stakePoolRank(mint) !== undefined;

/** Whether a staked coin has enough liquidity to be shown by default. */
export const isDeep = (variant: Variant, now: number): boolean =>
  (metricsOf(variant, now)?.liquidity ?? 0) >= SHOWN_FROM_USD;

function tierNamed(query: URLSearchParams, name: string): Tier | undefined {
  const raw = query.get(name);
  const text = raw?.trim().toLowerCase();
  const tier = text === 'experimental' ? 'tier3' : TIERS.find((candidate) => candidate === text);
  if (raw && tier === undefined) throw badRequest(`Invalid ${name}: ${raw}`, { allowed: TIERS });
  return tier;
}

function tierFilter(query: URLSearchParams): Tier | undefined {
  const [liquidity, trust] = [tierNamed(query, 'liquidityTier'), tierNamed(query, 'trustTier')];
  if (liquidity !== undefined && trust !== undefined && liquidity !== trust) {
    throw badRequest('liquidityTier and trustTier differ');
  }
  return liquidity ?? trust;
}

// For an uncurated asset, the upstream accepts any mint.
function variantOf(request: RouteRequest, asset: Asset): Variant | undefined {
  const mint = textOf(request.query, 'mint');
  if (asset.origin === 'curated' || mint === undefined) return namedVariant(request, asset);
  checkedMint(mint);
  return undefined;
}

// Solana's variants come from a narrower view, unless all are requested.
const viewOf = (variant: Variant, isNarrow: boolean, now: number) => ({
  ...variantView(variant, now),
  label: labelOf(variant),
  ...(isNarrow && { market: narrowSnapshot(variant, now) }),
});

/** The variants of an asset that match the filters; `mint` only checks and adds its variant. */
export function variants(request: RouteRequest) {
  const { query, now } = request;
  const kind = wordOf(query, 'kind', KINDS);
  const tier = tierFilter(query);
  const { asset } = resolutionOf(request);
  const named = variantOf(request, asset);
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
  if (top === undefined) return [];
  const { mint, kind, label, stockVariantTier, liquidityTier, trustTier } = variantBrief(variant);
  const { symbol, name } = variant;
  const names = { label, stockVariantTier, symbol, name, logoURI: imageOf(symbol) ?? undefined };
  return [{ mint, kind, liquidityTier, trustTier, ...names, ...top }];
}

/** The busiest market of each variant, busiest first, without variants that have none. */
export function variantTopMarkets(request: RouteRequest) {
  const { query, now } = request;
  const page = pageOf(query, { limit: 50, maximum: 100 });
  const { asset } = resolutionOf(request);
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

/** The market of the variant named by `mint`, or of the primary one. */
export function variantMarket(request: RouteRequest) {
  const { now } = request;
  const { asset } = resolutionWithin(request, ['curated']);
  const variant = chosenOf(request, asset);
  const { mint } = variant;
  return { assetId: asset.id, mint, market: rawMarket(variant, now), lastUpdatedAt: lastUpdatedAt(variant, now) };
}

/** The DEX markets of a variant, deepest first. */
export function markets(request: RouteRequest) {
  const { query, now } = request;
  const { asset, variant } = chosen(request);
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
