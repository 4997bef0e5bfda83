import type { Asset, Variant } from '../catalogue.ts';
import { assetRow, historyOf, historyOfVariant, variantWithMarket } from '../market.ts';
import { candlesIn, profileOf, riskOf } from './facts.ts';
import { cut, pageOf, type RouteRequest, rangeOf, resolutionOf, subjectOf } from './request.ts';
import { isShown, poolsOf } from './variants.ts';

/** The groups of variants by kind. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  spot: ['native', 'wrapped', 'bridged', 'stablecoin', 'spot'],
  etf: ['etf'],
  yield: ['yield'],
  leveraged: ['leveraged'],
  basket: ['basket'],
  lst: ['lst'],
  tokenizedEquity: ['tokenized_equity'],
};

const missing = (message: string) => ({ ok: false, reason: 'not_available', message });
const NO_VARIANT = missing('No primary variant available');

/** Returns the requested blocks. */
function includes(asset: Asset, variant: Variant | undefined, { query, now }: RouteRequest) {
  const wanted = query.get('include')?.split(',') ?? [];
  const page = pageOf(query, 10, 'markets');
  const pools = variant && poolsOf(variant, now);
  const blocks: Readonly<Record<string, () => unknown>> = {
    profile: () => profileOf(asset, now),
    risk: () => variant && { ok: true, data: { tokenData: null, tradingData: null, ...riskOf(variant, now) } },
    ohlcv: () => {
      const canonical = asset.price === 0 ? undefined : historyOf(asset);
      const history = query.has('mint') && variant ? historyOfVariant(variant) : canonical;
      return { ok: true, data: candlesIn(history, rangeOf(query, now, 'ohlcv'), now) };
    },
    markets: () => pools && { ok: true, data: { markets: cut(pools, page), total: pools.length, ...page } },
  };
  return Object.fromEntries(
    Object.entries(blocks).flatMap(([name, block]) => (wanted.includes(name) ? [[name, block() ?? NO_VARIANT]] : [])),
  );
}

function variantGroups({ variants }: Asset, { query, now }: RouteRequest) {
  const ranked = variants.map((variant, rank) => ({ variant, rank })).filter(({ variant }) => isShown(variant, query));
  const groups = Object.entries(GROUPS).map(([name, kinds]) => {
    const members = ranked.filter(({ variant }) => kinds.includes(variant.kind));
    return [name, members.map(({ variant, rank }) => ({ ...variantWithMarket(variant, now), rank }))] as const;
  });
  return Object.fromEntries(groups);
}

/** Returns an asset's page with the requested blocks. */
export function assetDetail(request: RouteRequest) {
  const { reference, query, now } = request;
  const { resolvedBy, mint } = resolutionOf(reference);
  const { asset, variant } = subjectOf(request);
  const { assetId, name, symbol, category, imageUrl, stats, canonicalMarket, primaryVariant } = assetRow(asset, now);
  const symbols = [symbol, ...asset.variants.map((each) => each.symbol)].filter((text) => text !== undefined);
  return {
    asset: {
      assetId,
      name,
      symbol,
      description: asset.about || undefined,
      category,
      aliases: asset.aliases,
      symbols: [...new Set(symbols)],
      imageUrl,
      stats,
      primaryVariantStrategy: 'liquidity',
      canonicalMarket,
      variantGroups: variantGroups(asset, request),
      primaryVariant: primaryVariant && { ...primaryVariant, rank: 0 },
    },
    includes: query.has('include') ? includes(asset, variant, request) : undefined,
    resolution: resolvedBy === 'assetId' ? undefined : { assetId, ref: reference.trim(), resolvedBy, mint },
  };
}
