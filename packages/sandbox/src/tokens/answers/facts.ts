import { profileOf } from '../canonical.ts';
import { fetchedAt } from '../market.ts';
import type { Asset, Variant } from '../model.ts';
import { pageOf, wordOf } from '../parameters.ts';
import { badRequest } from '../refusal.ts';
import { riskOf } from '../risk.ts';
import { between } from '../seed.ts';
import { tickersOf } from '../tickers.ts';
import { type Asked, chosen, resolutionOf } from './asked.ts';

const ORDERS = ['trust_score_desc', 'trust_score_asc', 'volume_desc', 'volume_asc'] as const;
const FIRST_SUMMARY = Date.UTC(2025, 5, 2);
const SUMMARIES_WITHIN = 40 * 86_400_000;

/** The profile of an asset, or why there is none. */
export function profileBlock(asset: Asset, now: number) {
  const data = profileOf(asset, now);
  return data === null
    ? { ok: false, reason: 'not_available', message: 'No external profile is available for this asset' }
    : { ok: true, data };
}

/** The external profile of an asset. */
export function profile(asked: Asked) {
  const { asset } = resolutionOf(asked);
  return { assetId: asset.id, profile: profileBlock(asset, asked.now) };
}

/** A page of the exchange tickers of an asset. */
export function tickers(asked: Asked) {
  const { query, now } = asked;
  const { asset } = resolutionOf(asked);
  const { offset, limit } = pageOf(query, { limit: 50, maximum: 50 });
  if ((wordOf(query, 'order', ORDERS) ?? 'volume_desc') !== 'volume_desc') {
    throw badRequest('Unsupported order', { supported: ['volume_desc'] });
  }
  const rows = tickersOf(asset, now);
  const lastUpdatedAt = fetchedAt(now);
  if (rows === null) {
    return { assetId: asset.id, tickers: { rows: [], offset, limit: 0, lastUpdatedAt } };
  }
  const page = { rows: rows.slice(offset, offset + limit), total: rows.length, offset, limit, lastUpdatedAt };
  return { assetId: asset.id, tickers: page };
}

const NO_RISK = { ok: false, reason: 'not_found', message: 'No cached risk data for this mint' };

/** The score of a variant. */
export function riskSummary(asked: Asked) {
  const { asset, variant } = chosen(asked);
  const risk = riskOf(variant, asked.now);
  return {
    assetId: asset.id,
    mint: variant.mint,
    risk: risk === null ? NO_RISK : { ok: true, marketScore: risk.marketScore, lastUpdatedAt: fetchedAt(asked.now) },
  };
}

/** The score of a variant with what it is computed from. */
export function riskDetails(asked: Asked) {
  const { asset, variant } = chosen(asked);
  const risk = riskOf(variant, asked.now);
  return {
    assetId: asset.id,
    mint: variant.mint,
    risk: risk === null ? NO_RISK : { ok: true, ...risk, tags: [], lastUpdatedAt: fetchedAt(asked.now) },
  };
}

function summaryOf(variant: Variant): string {
  const { asset, name, symbol, kind, issuer } = variant;
  const form = `${name} (${symbol}): ${asset.name} on Solana as a token of kind ${kind.replaceAll('_', ' ')}`;
  return `${form}${issuer === undefined ? '' : `, issued by ${issuer}`}. ${asset.about}`;
}

/** What is written about one variant; nothing about tokens that nobody trades. */
export function description(asked: Asked) {
  const { asset, variant } = chosen(asked);
  const written = FIRST_SUMMARY + Math.floor(between(0, SUMMARIES_WITHIN, `${variant.mint}/summary`));
  return {
    assetId: asset.id,
    mint: variant.mint,
    description: variant.pools === 0 ? null : { summary: summaryOf(variant), generatedAt: written },
  };
}
