import { candlesOf, walkOf } from '../candles.ts';
import { canonicalHistory } from '../canonical.ts';
import { fetchedAt, metricsOf } from '../market.ts';
import type { Variant } from '../model.ts';
import { badRequest, pageOf, type Range, rangeOf } from '../parameters.ts';
import { primaryVariant, strategyOf } from '../primary.ts';
import { profileOf, tickersOf } from '../profile.ts';
import { NOT_CACHED, riskOf } from '../risk.ts';
import { between } from '../seed.ts';
import type { Walk } from '../walk.ts';
import { chosen, chosenOf, type RouteRequest, resolutionWithin } from './request.ts';

/** The candles of a price history in a range; empty without a history. */
export function candlesIn(walk: Walk | null, { seconds, from, to }: Range, now: number) {
  return walk === null ? [] : candlesOf(walk, { seconds, from, to: to + 1, now: Math.floor(now / 1000) });
}

/** The price history of a variant; null for a token without pools. */
export const historyOf = (variant: Variant): Walk | null => (variant.pools === 0 ? null : walkOf(variant));

/** Candles of the variant named by `mint`, or of the primary one. */
export function ohlcv(request: RouteRequest) {
  const { asset } = resolutionWithin(request, ['curated', 'token']);
  const variant = chosenOf(request, asset);
  const range = rangeOf(request.query, request.now);
  const { interval, from, to } = range;
  const candles = candlesIn(historyOf(variant), range, request.now);
  return { assetId: asset.id, mint: variant.mint, interval, from, to, candles };
}

/** Candles of the canonical price: the stock's or CoinGecko's. Reads `mint` only if there are none. */
export function priceChart(request: RouteRequest) {
  const range = rangeOf(request.query, request.now);
  const { interval, from, to } = range;
  const { asset } = resolutionWithin(request, ['curated', 'token']);
  const canonical = candlesIn(canonicalHistory(asset), range, request.now);
  if (canonical.length > 0) return { assetId: asset.id, interval, from, to, candles: canonical };
  const primary = primaryVariant(asset, request.now, { strategy: strategyOf(asset), isListed: true }) ?? undefined;
  const candles = candlesIn(historyOf(chosenOf(request, asset, primary)), range, request.now);
  return { assetId: asset.id, interval, from, to, candles };
}

const ORDERS = ['trust_score_desc', 'trust_score_asc', 'volume_desc', 'volume_asc'];
const FIRST_SUMMARY = Date.UTC(2025, 5, 2);
const SUMMARIES_WITHIN = 40 * 86_400_000;

/** The external profile of an asset, or the reason that there is none. */
export function profile(request: RouteRequest) {
  const { asset } = resolutionWithin(request, ['curated']);
  const data = profileOf(asset, request.now);
  const [reason, message] =
    asset.coingeckoId === undefined
      ? ['not_available', 'Profile not available']
      : ['not_found', 'Profile not available in cache'];
  return { assetId: asset.id, profile: data === null ? { ok: false, reason, message } : { ok: true, data } };
}

function checkOrder(query: URLSearchParams): void {
  const order = query.get('order') ?? '';
  if (order.trim() !== '' && !ORDERS.includes(order)) throw badRequest(`\`order\` is none of ${ORDERS.join(', ')}`);
  if (order.trim() !== '' && order !== 'volume_desc') {
    throw badRequest('`order` is not supported: only volume_desc is', { order });
  }
}

/** A page of exchange tickers, empty for an asset that CoinGecko does not know. */
export function tickers(request: RouteRequest) {
  const { query, now } = request;
  const { asset } = resolutionWithin(request, ['curated']);
  const rows = tickersOf(asset, now);
  if (rows === null) return { assetId: asset.id, tickers: { rows: [], offset: 0, limit: 0 } };
  const { offset, limit } = pageOf(query, { limit: 50, maximum: 50 });
  checkOrder(query);
  const page = { rows: rows.slice(offset, offset + limit), total: rows.length, offset, limit };
  return { assetId: asset.id, tickers: { ...page, lastUpdatedAt: fetchedAt(now) } };
}

const NO_RISK = { ok: false, reason: 'not_found', message: NOT_CACHED };

/** The score of a variant with its input. */
export function riskDetails(request: RouteRequest) {
  const { asset, variant } = chosen(request);
  const risk = riskOf(variant, request.now);
  return {
    assetId: asset.id,
    mint: variant.mint,
    risk: risk === null ? NO_RISK : { ok: true, ...risk, tags: [] },
  };
}

/** The score of a variant. */
export function riskSummary(request: RouteRequest) {
  const { asset, variant } = chosen(request);
  const { marketScore, lastUpdatedAt } = riskOf(variant, request.now) ?? {};
  return {
    assetId: asset.id,
    mint: variant.mint,
    risk: marketScore === undefined ? NO_RISK : { ok: true, marketScore, lastUpdatedAt },
  };
}

function summaryOf(variant: Variant): string {
  const { asset, name, symbol, kind, issuer } = variant;
  const form = `${name} (${symbol}): ${asset.name ?? 'a share'} on Solana as a token of kind ${kind.replaceAll('_', ' ')}`;
  return `${form}${issuer === undefined ? '' : `, issued by ${issuer}`}. ${asset.about}`.trim();
}

/** The description of a variant; null for untraded tokens. */
export function description(request: RouteRequest) {
  const { asset, variant } = chosen(request);
  const generatedAt = FIRST_SUMMARY + Math.floor(between(0, SUMMARIES_WITHIN, `${variant.mint}/summary`));
  const isWritten = metricsOf(variant, request.now) !== null;
  return {
    assetId: asset.id,
    mint: variant.mint,
    description: isWritten ? { summary: summaryOf(variant), generatedAt } : null,
  };
}
