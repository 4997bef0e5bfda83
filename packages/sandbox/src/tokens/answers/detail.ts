import { benchmarkHistory, canonicalMarket, coinHistory, symbolOf } from '../canonical.ts';
import type { Resolution } from '../catalogue.ts';
import { imageOf } from '../market.ts';
import type { Asset, Variant } from '../model.ts';
import { badRequest, pageOf, rangeOf } from '../parameters.ts';
import { poolCount, poolsOf } from '../pools.ts';
import { primaryVariant, strategyOf } from '../primary.ts';
import { profileOf } from '../profile.ts';
import { marketScore, scoreInput } from '../risk.ts';
import { assetStats } from '../stats.ts';
import { rankedPrimary, variantGroups } from './curated.ts';
import { candlesIn, historyOf } from './facts.ts';
import { namedVariant, type RouteRequest, resolutionOf, variantWith } from './request.ts';
import { wantsAll } from './variants.ts';

/** The subject of the included blocks. */
interface Subject {
  readonly asset: Asset;
  /** The variant named by the path or the parameter, or the primary one. */
  readonly variant: Variant | null;
  /** Named by the `mint` parameter. */
  readonly isNamed: boolean;
  /** Not named by the request. */
  readonly isPrimary: boolean;
  readonly request: RouteRequest;
}

const missing = (reason: 'not_available' | 'not_found', message: string) => ({ ok: false, reason, message });
const found = (data: unknown) => ({ ok: true, data });
const NO_VARIANT = missing('not_available', 'No primary variant available');

function profileBlock({ asset, request }: Subject) {
  if (asset.coingeckoId === undefined) return missing('not_available', 'Profile not available for this asset');
  const data = profileOf(asset, request.now);
  return data === null ? missing('not_found', 'Profile not available in cache') : found(data);
}

// Here the upstream does not count holders, and scores variants without a market.
function riskBlock({ variant, request }: Subject) {
  if (variant === null) return NO_VARIANT;
  const marketScoreInput = { ...scoreInput(variant, request.now), holderCount: null };
  const score = marketScore(variant, marketScoreInput);
  return found({ tokenData: null, tradingData: null, marketScoreInput, marketScore: score });
}

function candlesBlock({ asset, variant, isNamed, isPrimary, request }: Subject) {
  const range = rangeOf(request.query, request.now, 'ohlcv');
  const benchmark = isNamed ? null : benchmarkHistory(asset);
  if (benchmark !== null) return found(candlesIn(benchmark, range, request.now));
  if (variant === null) return NO_VARIANT;
  const own = candlesIn(historyOf(variant), range, request.now);
  return found(own.length === 0 && isPrimary ? candlesIn(coinHistory(asset), range, request.now) : own);
}

function marketsBlock({ variant, request }: Subject) {
  if (variant === null) return NO_VARIANT;
  const page = pageOf(request.query, { limit: 10, maximum: 50 }, 'markets');
  const total = poolCount(variant, request.now);
  return total === undefined
    ? missing('not_found', 'Markets not found in cache')
    : found({ markets: poolsOf(variant, page, request.now), total, ...page });
}

const BLOCKS = { profile: profileBlock, risk: riskBlock, ohlcv: candlesBlock, markets: marketsBlock } as const;
type Block = keyof typeof BLOCKS;
const NAMES = Object.keys(BLOCKS) as Block[];

/** The requested blocks, in the upstream's order. */
function wanted(query: URLSearchParams): Block[] {
  const parts = (query.get('include') ?? '').split(',').map((part) => part.trim());
  const invalid = parts.filter((part) => part !== '' && !Object.hasOwn(BLOCKS, part));
  if (invalid.length > 0) throw badRequest(`Invalid include: ${invalid[0]}`, { allowed: NAMES, invalid });
  return NAMES.filter((name) => parts.includes(name));
}

function resolutionBlock({ asset, resolvedBy, mint }: Resolution, reference: string) {
  return resolvedBy === 'assetId' ? undefined : { assetId: asset.id, ref: reference.trim(), resolvedBy, mint };
}

// The symbols and labels of the asset and its variants, without repetitions.
function symbolsOf(asset: Asset): string[] {
  const all = [symbolOf(asset), asset.symbol, ...asset.variants.flatMap(({ symbol, label }) => [symbol, label])];
  return [...new Set(all.filter((text) => text !== undefined))];
}

function assetBlock(asset: Asset, requested: Variant | undefined, { query, now }: RouteRequest) {
  const primary = primaryVariant(asset, now, { strategy: strategyOf(asset) });
  const symbol = symbolOf(asset);
  return {
    assetId: asset.id,
    name: asset.name,
    symbol,
    description: (asset.origin === 'curated' && asset.about) || undefined,
    category: asset.category,
    aliases: asset.aliases,
    symbols: symbolsOf(asset),
    imageUrl: imageOf(symbol),
    stats: assetStats(asset, now),
    primaryVariantStrategy: strategyOf(asset),
    canonicalMarket: canonicalMarket(asset, now),
    variantGroups: variantGroups(asset, { all: wantsAll(query), requested }, now),
    primaryVariant: primary && rankedPrimary(primary, now),
  };
}

/** The page of an asset, with the requested blocks. */
export function assetDetail(request: RouteRequest) {
  const { query, now } = request;
  const blocks = wanted(query);
  const resolution = resolutionOf(request);
  const { asset } = resolution;
  const named = namedVariant(request, asset);
  const own = named ?? variantWith(asset, resolution.mint);
  const variant = own ?? primaryVariant(asset, now, { strategy: strategyOf(asset) });
  const subject = { asset, variant, isNamed: named !== undefined, isPrimary: own === undefined, request };
  const included = blocks.map((name) => [name, BLOCKS[name](subject)] as const);
  return {
    asset: assetBlock(asset, variant ?? undefined, request),
    includes: included.length > 0 ? Object.fromEntries(included) : undefined,
    resolution: resolutionBlock(resolution, request.reference),
  };
}
