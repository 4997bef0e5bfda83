import { assetStats, canonicalMarket, primaryVariant } from '../canonical.ts';
import type { Resolution } from '../catalogue.ts';
import { imageOf } from '../market.ts';
import type { Asset, Variant } from '../model.ts';
import { pageOf, rangeOf, textOf, wordOf } from '../parameters.ts';
import { poolCount, poolsOf } from '../pools.ts';
import { badRequest } from '../refusal.ts';
import { riskOf } from '../risk.ts';
import { type Asked, namedVariant, resolutionOf } from './asked.ts';
import { profileBlock } from './facts.ts';
import { candlesIn, historyOf } from './history.ts';
import { listedVariants, STRATEGY, variantGroups, variantView } from './shapes.ts';

interface Subject {
  readonly asset: Asset;
  readonly variant: Variant | null;
  readonly asked: Asked;
}

const NO_VARIANT = { ok: false, reason: 'not_available', message: 'No primary variant available' };

function riskBlock({ variant, asked }: Subject) {
  if (variant === null) {
    return NO_VARIANT;
  }
  const risk = riskOf(variant, asked.now);
  return risk === null
    ? { ok: false, reason: 'not_found', message: 'No cached risk data for this mint' }
    : { ok: true, data: { tokenData: null, tradingData: null, ...risk } };
}

function candlesBlock({ variant, asked }: Subject) {
  const range = rangeOf(asked.query, asked.now, 'ohlcv');
  return variant === null ? NO_VARIANT : { ok: true, data: candlesIn(historyOf(variant), range, asked.now) };
}

function marketsBlock({ variant, asked }: Subject) {
  const page = pageOf(asked.query, { limit: 10, maximum: 50 }, 'markets');
  return variant === null
    ? NO_VARIANT
    : { ok: true, data: { markets: poolsOf(variant, page, asked.now), total: poolCount(variant, asked.now), ...page } };
}

const BLOCKS = new Map<string, (subject: Subject) => unknown>([
  ['profile', ({ asset, asked }) => profileBlock(asset, asked.now)],
  ['risk', riskBlock],
  ['ohlcv', candlesBlock],
  ['markets', marketsBlock],
]);

function includes(subject: Subject) {
  const text = textOf(subject.asked.query, 'include');
  if (text === undefined) {
    return undefined;
  }
  const blocks = text.split(',').map((part) => {
    const name = part.trim();
    const block = BLOCKS.get(name);
    if (block === undefined) {
      throw badRequest('Invalid include', { allowed: [...BLOCKS.keys()] });
    }
    return [name, block(subject)] as const;
  });
  return Object.fromEntries(blocks);
}

function resolutionBlock({ asset, resolvedBy, variant }: Resolution, reference: string) {
  return resolvedBy === 'assetId'
    ? undefined
    : { assetId: asset.id, ref: reference, resolvedBy, mint: variant?.mint ?? null };
}

/** Everything about an asset, with the blocks that the request wants included. */
export function assetDetail(asked: Asked) {
  const { query, now } = asked;
  const resolution = resolutionOf(asked);
  const { asset } = resolution;
  const primary = primaryVariant(asset);
  const variant = namedVariant(asked, asset) ?? resolution.variant ?? primary;
  const all = wordOf(query, 'variantsMode', ['all']) === 'all';
  const { id: assetId, symbol, name, category, aliases } = asset;
  return {
    asset: {
      assetId,
      name,
      symbol,
      description: asset.about || undefined,
      category,
      aliases,
      symbols: [...new Set([symbol, ...asset.variants.map((own) => own.symbol)])],
      imageUrl: imageOf(symbol),
      stats: assetStats(asset, now),
      primaryVariantStrategy: STRATEGY,
      canonicalMarket: canonicalMarket(asset, now),
      variantGroups: variantGroups(listedVariants(asset, all), now),
      primaryVariant: primary && variantView(primary, now),
    },
    includes: includes({ asset, variant, asked }),
    resolution: resolutionBlock(resolution, asked.reference),
  };
}
