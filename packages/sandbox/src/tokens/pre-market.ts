import { fetchedAt, metricsOf } from './market.ts';
import type { Variant } from './model.ts';
import { significant } from './seed.ts';

/** The valuation of an unlisted company by the price of its token. */
export interface PreMarketBlock {
  readonly symbol: string;
  /** The market price, or the issuer's if there is none; in US dollars. */
  readonly price: number;
  readonly markPriceUsd: number;
  readonly markValuationUsd: number;
  readonly impliedValuationUsd: number;
  readonly premiumToMarkPercent: number;
  readonly lastFetchedAt: number;
}

/** The block of a variant; undefined for other tokens. */
export function preMarketOf(variant: Variant, now: number): PreMarketBlock | undefined {
  if (variant.mark === undefined) {
    return undefined;
  }
  const { symbol, price: markPriceUsd, valuation: markValuationUsd } = variant.mark;
  const price = metricsOf(variant, now)?.price ?? markPriceUsd;
  const ratio = price / markPriceUsd;
  return {
    symbol,
    price,
    markPriceUsd,
    markValuationUsd,
    impliedValuationUsd: significant(markValuationUsd * ratio, 10),
    premiumToMarkPercent: significant((ratio - 1) * 100, 6),
    lastFetchedAt: fetchedAt(now),
  };
}
