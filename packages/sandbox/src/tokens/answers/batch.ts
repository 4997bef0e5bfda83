import { knownVariant } from '../catalogue.ts';
import { executionQuality, imageOf, metricsOf, rawMarket } from '../market.ts';
import { checkedMint, mintsOf, textOf } from '../parameters.ts';
import { badRequest, Refusal } from '../refusal.ts';
import { INSUFFICIENT, riskOf } from '../risk.ts';
import type { Asked } from './asked.ts';

const MAX_SNAPSHOTS = 250;
const MAX_MARKETS = 50;

interface SnapshotBody {
  readonly mints?: unknown;
  readonly addresses?: unknown;
}

function fieldsOf(body: string): SnapshotBody {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    throw new Refusal(500, 'UnknownError', 'An unknown error occurred');
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw badRequest('Invalid body');
  }
  return parsed;
}

function stringsOf(value: unknown): string[] {
  if (value === undefined) {
    return [];
  }
  if (!Array.isArray(value) || !value.every((item): item is string => typeof item === 'string')) {
    throw badRequest('Invalid mints');
  }
  return value;
}

function snapshotOf(mint: string, now: number) {
  const variant = knownVariant(mint);
  const metrics = variant && metricsOf(variant, now);
  if (variant === undefined || metrics === undefined || metrics === null) {
    return { address: mint, token: null, hasMarket: false };
  }
  const { liquidity, volume24hUSD, price, priceChange24hPercent, priceChange1hPercent, marketCap } = metrics;
  const { symbol, name, decimals } = variant;
  const token = {
    address: mint,
    symbol,
    name,
    decimals,
    logoURI: imageOf(symbol),
    liquidity,
    volume24hUSD,
    price,
    priceChange24hPercent,
    priceChange1hPercent: priceChange1hPercent ?? undefined,
    marketCap,
  };
  return { address: mint, token, hasMarket: true };
}

/** Market snapshots of up to 250 mints; addresses count only when there are no mints. */
export function marketSnapshots({ body, now }: Asked) {
  const fields = fieldsOf(body);
  return mintsOf(stringsOf(fields.mints ?? fields.addresses), MAX_SNAPSHOTS).map((mint) => snapshotOf(mint, now));
}

/** Markets of up to 50 variants; addresses count only when there are no mints. */
export function variantMarkets({ query, now }: Asked) {
  const list = query.get('mints') ?? query.get('addresses') ?? '';
  const variants = mintsOf(list.split(','), MAX_MARKETS).map((mint) => {
    const variant = knownVariant(mint);
    return {
      mint,
      assetId: variant?.asset.id ?? null,
      chain: variant === undefined ? null : 'solana',
      market: variant === undefined ? null : rawMarket(variant, now),
      executionQuality: variant === undefined ? null : executionQuality(variant, now),
    };
  });
  return { variants };
}

/** The risk of a mint without anything around it. */
export function riskSummaryByMint({ query, now }: Asked) {
  const mint = textOf(query, 'mint') ?? textOf(query, 'address');
  if (mint === undefined) {
    throw badRequest('Missing mint');
  }
  const variant = knownVariant(checkedMint(mint));
  const risk = variant === undefined ? null : riskOf(variant, now);
  const { score, grade, label, tone, isTrustedLaunch, caps, hasInsufficientData, insufficientDataReason } =
    risk?.marketScore ?? INSUFFICIENT;
  return { score, grade, label, tone, isTrustedLaunch, caps, hasInsufficientData, insufficientDataReason };
}
