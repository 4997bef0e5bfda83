import { fetchedAt, imageOf, metricsOf } from './market.ts';
import type { Variant } from './model.ts';
import { addressOf, between, draw, seedOf, significant } from './seed.ts';

const SOURCES = [
  'Raydium CLMM',
  'Orca Whirlpool',
  'Meteora DLMM',
  'Raydium',
  'PumpSwap',
  'Lifinity V2',
  'Phoenix',
] as const;
const SOL = { address: 'So11111111111111111111111111111111111111112', decimals: 9, symbol: 'SOL', name: 'Wrapped SOL' };
const USDC = { address: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', decimals: 6, symbol: 'USDC', name: 'USD Coin' };
const JITO_SOL = { address: addressOf('solana/JitoSOL'), decimals: 9, symbol: 'JitoSOL', name: 'Jito Staked SOL' };
const FIRST_POOL = Date.UTC(2021, 5, 1);
const DAY = 86_400_000;

function quoteFor(mint: string, chance: number) {
  const quote = [USDC, SOL, USDC, JITO_SOL][Math.floor(chance * 4)] ?? USDC;
  if (quote.address !== mint) {
    return quote;
  }
  return mint === USDC.address ? SOL : USDC;
}

// A few pools hold most of the liquidity, as on a real exchange.
function shares(variant: Variant): number[] {
  const seed = seedOf(`${variant.mint}/pools`);
  const weights = Array.from(
    { length: variant.pools },
    (_, index) => (0.7 + 0.6 * draw(seed, index)) / (index + 1) ** 1.15,
  );
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total).toSorted((a, b) => b - a);
}

function poolAt(variant: Variant, rank: number, share: number, now: number) {
  const metrics = metricsOf(variant, now);
  if (metrics === null) {
    return [];
  }
  const seed = seedOf(`${variant.mint}/pool/${rank}`);
  const quote = quoteFor(variant.mint, draw(seed, 1));
  const trades = Math.ceil(metrics.trade24h * share);
  return [
    {
      address: addressOf(`${variant.mint}/pool/${rank}`),
      name: `${variant.symbol}-${quote.symbol}`,
      base: {
        address: variant.mint,
        decimals: variant.decimals,
        symbol: variant.symbol,
        icon: imageOf(variant.symbol),
        name: variant.name,
      },
      quote: { ...quote, icon: imageOf(quote.symbol) },
      source: SOURCES[Math.floor(draw(seed, 2) * SOURCES.length)],
      createdAt: new Date(FIRST_POOL + Math.floor(draw(seed, 3) * 1200) * DAY).toISOString(),
      liquidity: significant(metrics.liquidity * share, 8),
      volume24h: significant(metrics.volume24hUSD * share * (0.8 + 0.4 * draw(seed, 4)), 8),
      trade24h: trades,
      trade24hChangePercent: significant((draw(seed, 5) - 0.45) * 80, 5),
      uniqueWallet24h: Math.ceil(trades * (0.2 + 0.3 * draw(seed, 6))),
      uniqueWallet24hChangePercent: significant((draw(seed, 7) - 0.45) * 60, 5),
      price: significant(metrics.price * (0.9985 + 0.003 * draw(seed, 8)), 9),
    },
  ];
}

/** A page of the pools of a variant, the deepest first. */
export function poolsOf(variant: Variant, page: { readonly offset: number; readonly limit: number }, now: number) {
  const rows = shares(variant).slice(page.offset, page.offset + page.limit);
  return rows.flatMap((share, index) => poolAt(variant, page.offset + index, share, now));
}

/** The top pools of a variant with their totals; nothing for a variant without pools. */
export function topPools(variant: Variant, now: number) {
  const topMarkets = poolsOf(variant, { offset: 0, limit: 3 }, now);
  const [topMarket] = topMarkets;
  const metrics = metricsOf(variant, now);
  if (topMarket === undefined || metrics === null) {
    return [];
  }
  return [
    {
      topMarket,
      topMarkets: topMarkets.map((market) => ({ market })),
      marketsTotal: variant.pools,
      totalLiquidity: metrics.liquidity,
      lastFetchedAt: fetchedAt(now),
    },
  ];
}

/** How many of a variant's pools have been fetched. */
export const poolCount = (variant: Variant, now: number): number =>
  metricsOf(variant, now) === null ? 0 : variant.pools;

/** The day a variant's token was minted, in Unix seconds. */
export function mintedAt(variant: Variant): number {
  return Date.parse(variant.asset.since) / 1000 - Math.floor(between(1, 30, `${variant.mint}/minted`)) * 86_400;
}
