import { benchmarkHistory, canonicalMarket, coinHistory, symbolOf } from '../canonical.ts';
import type { Resolution } from '../catalogue.ts';
import { imageOf } from '../market.ts';
import type { Asset, Variant } from '../model.ts';
import { pageOf, rangeOf } from '../parameters.ts';
import { poolCount, poolsOf } from '../pools.ts';
import { primaryVariant, strategyOf } from '../primary.ts';
import { profileOf } from '../profile.ts';
import { badRequest } from '../refusal.ts';
import { marketScore, scoreInput } from '../risk.ts';
import { assetStats } from '../stats.ts';
import { type Asked, namedVariant, resolutionOf, variantWith } from './asked.ts';
import { rankedPrimary, variantGroups } from './groups.ts';
import { candlesIn, historyOf } from './history.ts';
import { wantsAll } from './yields.ts';

/** What the blocks are about. */
interface Subject {
  readonly asset: Asset;
  /** The variant that the request names, by its path or its parameter; else the primary one. */
  readonly variant: Variant | null;
  /** Whether `mint` names it. */
  readonly isNamed: boolean;
  /** Whether the request names none. */
  readonly isPrimary: boolean;
  readonly asked: Asked;
}

const missing = (reason: 'not_available' | 'not_found', message: string) => ({ ok: false, reason, message });
const found = (data: unknown) => ({ ok: true, data });
const NO_VARIANT = missing('not_available', 'No primary variant available');

function profileBlock({ asset, asked }: Subject) {
  if (asset.coingeckoId === undefined) {
    return missing('not_available', 'Profile not available for this asset');
  }
  const data = profileOf(asset, asked.now);
  return data === null ? missing('not_found', 'Profile not available in cache') : found(data);
}

// The holders are not counted here, and a variant without a market has a score too.
function riskBlock({ variant, asked }: Subject) {
  if (variant === null) {
    return NO_VARIANT;
  }
  const marketScoreInput = { ...scoreInput(variant, asked.now), holderCount: null };
  const score = marketScore(variant, marketScoreInput);
  return found({ tokenData: null, tradingData: null, marketScoreInput, marketScore: score });
}

function candlesBlock({ asset, variant, isNamed, isPrimary, asked }: Subject) {
  const range = rangeOf(asked.query, asked.now, 'ohlcv');
  const benchmark = isNamed ? null : benchmarkHistory(asset);
  if (benchmark !== null) {
    return found(candlesIn(benchmark, range, asked.now));
  }
  if (variant === null) {
    return NO_VARIANT;
  }
  const own = candlesIn(historyOf(variant), range, asked.now);
  return found(own.length === 0 && isPrimary ? candlesIn(coinHistory(asset), range, asked.now) : own);
}

function marketsBlock({ variant, asked }: Subject) {
  if (variant === null) {
    return NO_VARIANT;
  }
  const page = pageOf(asked.query, { limit: 10, maximum: 50 }, 'markets');
  const total = poolCount(variant, asked.now);
  return total === undefined
    ? missing('not_found', 'Markets not found in cache')
    : found({ markets: poolsOf(variant, page, asked.now), total, ...page });
}

const BLOCKS = { profile: profileBlock, risk: riskBlock, ohlcv: candlesBlock, markets: marketsBlock } as const;
type Block = keyof typeof BLOCKS;
const NAMES = Object.keys(BLOCKS) as Block[];

/** The blocks that a request wants, in the upstream's own order. */
function wanted(query: URLSearchParams): Block[] {
  const parts = (query.get('include') ?? '').split(',').map((part) => part.trim());
  const invalid = parts.filter((part) => part !== '' && !Object.hasOwn(BLOCKS, part));
  if (invalid.length > 0) {
    throw badRequest(`Invalid include: ${invalid[0]}`, { allowed: NAMES, invalid });
  }
  return NAMES.filter((name) => parts.includes(name));
}

function resolutionBlock({ asset, resolvedBy, mint }: Resolution, reference: string) {
  return resolvedBy === 'assetId' ? undefined : { assetId: asset.id, ref: reference.trim(), resolvedBy, mint };
}

// Every symbol and every label by which the asset and its variants go, each once.
function symbolsOf(asset: Asset): string[] {
  const all = [symbolOf(asset), asset.symbol, ...asset.variants.flatMap(({ symbol, label }) => [symbol, label])];
  return [...new Set(all.filter((text) => text !== undefined))];
}

function assetBlock(asset: Asset, asked: Variant | undefined, { query, now }: Asked) {
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
    variantGroups: variantGroups(asset, { all: wantsAll(query), asked }, now),
    primaryVariant: primary && rankedPrimary(primary, now),
  };
}

/** Everything about an asset, with the blocks that the request wants included. */
export function assetDetail(asked: Asked) {
  const { query, now } = asked;
  const blocks = wanted(query);
  const resolution = resolutionOf(asked);
  const { asset } = resolution;
  const named = namedVariant(asked, asset);
  const own = named ?? variantWith(asset, resolution.mint);
  const variant = own ?? primaryVariant(asset, now, { strategy: strategyOf(asset) });
  const subject = { asset, variant, isNamed: named !== undefined, isPrimary: own === undefined, asked };
  const included = blocks.map((name) => [name, BLOCKS[name](subject)] as const);
  return {
    asset: assetBlock(asset, variant ?? undefined, asked),
    includes: included.length > 0 ? Object.fromEntries(included) : undefined,
    resolution: resolutionBlock(resolution, asked.reference),
  };
}
