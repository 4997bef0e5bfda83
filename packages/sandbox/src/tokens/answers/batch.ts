import { knownVariant } from '../catalogue.ts';
import { imageOf, metricsOf, rawMarket } from '../market.ts';
import { badRequest, checkedMint, type RouteRequest } from './request.ts';

const MAX_SNAPSHOTS = 250;
const MAX_MARKETS = 50;

/** Returns the first mints of a list, at most this many, each once. */
const mintsIn = (list: readonly string[], most: number): string[] =>
  [...new Set(list)].slice(0, most).map((mint) => checkedMint(mint));

function snapshotOf(mint: string, now: number) {
  const variant = knownVariant(mint);
  if (variant === undefined) return { address: mint, token: null, hasMarket: false };
  const { symbol, name, decimals } = variant;
  const metrics = metricsOf(variant, now);
  const { liquidity = 0, volume24hUSD = 0, price = 0, priceChange24hPercent = 0, marketCap = 0 } = metrics ?? {};
  const figures = { liquidity, volume24hUSD, price, priceChange24hPercent, marketCap };
  const token = { address: mint, symbol, name, decimals, ...figures, logoURI: imageOf(symbol) ?? undefined };
  return { address: mint, token, hasMarket: metrics !== null };
}

/** Returns market snapshots of up to 250 mints in the requested order. */
export function marketSnapshots({ body, now }: RouteRequest) {
  const { mints } = JSON.parse(body);
  if (!Array.isArray(mints)) throw badRequest('Invalid body');
  return mintsIn(mints, MAX_SNAPSHOTS).map((mint) => snapshotOf(mint, now));
}

/** Returns markets of up to 50 mints in the requested order. */
export function variantMarkets({ query, now }: RouteRequest) {
  const mints = (query.get('mints') ?? '').split(',').map((part) => part.trim());
  const variants = mintsIn(
    mints.filter((mint) => mint !== ''),
    MAX_MARKETS,
  ).map((mint) => {
    const variant = knownVariant(mint);
    return {
      mint,
      assetId: variant?.asset.id ?? null,
      chain: variant ? 'solana' : null,
      market: variant ? rawMarket(variant, now) : null,
      executionQuality: null,
    };
  });
  return { variants };
}
