import { knownVariant, MINT } from '../catalogue.ts';
import { executionQuality, imageOf, metricsOf, rawMarket } from '../market.ts';
import { badRequest, checkedMint, Refusal } from '../parameters.ts';
import { FIXED_SCORE, NOT_CACHED, riskOf } from '../risk.ts';
import type { RouteRequest } from './request.ts';

const MAX_SNAPSHOTS = 250;
const MAX_MARKETS = 50;

/** The texts without repetitions. */
const distinct = (texts: readonly string[]): string[] => [...new Set(texts)];

// Servers ignore a byte order mark before JSON.
function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body.replace(/^\uFEFF/, ''));
  } catch (error) {
    const { name, message } = error as Error;
    throw new Refusal(500, 'UnknownError', message, { causeTag: name });
  }
}

const isMints = (value: unknown): value is string[] | undefined =>
  value === undefined || (Array.isArray(value) && value.every((mint) => typeof mint === 'string' && MINT.test(mint)));

// Every item of both lists is checked before one list is used.
function mintsOf(body: string): string[] {
  const value = jsonOf(body);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw badRequest('Invalid body', 'Expected an object');
  }
  const { mints, addresses } = value as { mints?: unknown; addresses?: unknown };
  if (!isMints(mints) || !isMints(addresses)) {
    throw badRequest('Invalid body', `Expected lists of texts that match ${MINT.source}`);
  }
  return distinct(mints ?? addresses ?? []).slice(0, MAX_SNAPSHOTS);
}

function snapshotOf(mint: string, now: number) {
  const variant = knownVariant(mint);
  if (variant === undefined) return { address: mint, token: null, hasMarket: false };
  const { symbol, name, decimals } = variant;
  const metrics = metricsOf(variant, now);
  const token = {
    address: mint,
    symbol,
    name,
    decimals,
    liquidity: metrics?.liquidity ?? 0,
    volume24hUSD: metrics?.volume24hUSD ?? 0,
    price: metrics?.price ?? 0,
    priceChange24hPercent: metrics?.priceChange24hPercent ?? 0,
    marketCap: metrics?.marketCap ?? 0,
    logoURI: imageOf(symbol) ?? undefined,
    priceChange1hPercent: metrics?.priceChange1hPercent ?? undefined,
  };
  return { address: mint, token, hasMarket: metrics !== null && metrics.priceChange24hPercent !== null };
}

/** Market snapshots of up to 250 mints in the requested order; `addresses` counts only without `mints`. */
export const marketSnapshots = ({ body, now }: RouteRequest) => mintsOf(body).map((mint) => snapshotOf(mint, now));

/** Markets of up to 50 mints in the requested order; `addresses` counts only without `mints`. */
export function variantMarkets({ query, now }: RouteRequest) {
  const list = query.get('mints') ?? query.get('addresses') ?? '';
  const parts = list.split(',').map((part) => part.trim());
  const mints = distinct(parts.filter((part) => part !== '')).slice(0, MAX_MARKETS);
  const variants = mints.map(checkedMint).map((mint) => {
    const variant = knownVariant(mint);
    const isCurated = variant?.asset.origin === 'curated';
    return {
      mint,
      assetId: isCurated ? variant.asset.id : null,
      chain: isCurated ? 'solana' : null,
      market: variant === undefined ? null : rawMarket(variant, now),
      executionQuality: variant === undefined ? null : executionQuality(variant, now),
    };
  });
  return { variants };
}

/**
 * The risk of a mint as a flat object. For a mint without a market the upstream answers the constant score of wrapped SOL, and only
 * the reason says that there is no data.
 */
export function riskSummaryByMint({ query, now }: RouteRequest) {
  const mint = (query.get('mint') ?? query.get('address') ?? '').trim();
  if (mint === '') throw badRequest('mint is required');
  const variant = knownVariant(checkedMint(mint));
  const risk = variant === undefined ? null : riskOf(variant, now);
  const { score, grade, label, tone, isTrustedLaunch, caps, hasInsufficientData, insufficientDataReason } =
    risk?.marketScore ?? { ...FIXED_SCORE, insufficientDataReason: NOT_CACHED };
  return { score, grade, label, tone, isTrustedLaunch, caps, hasInsufficientData, insufficientDataReason };
}
