import { knownVariant } from './catalogue.ts';
import { fetchedAt, imageOf, metricsOf } from './market.ts';
import type { Variant } from './model.ts';
import { addressOf, draw, seedOf, significant } from './seed.ts';

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
const TOP = 5;

/** Exchanges with their own token, by the prefix of their pool names. */
const PROTOCOLS = [
  { name: 'Raydium', symbol: 'RAY', address: '4k3Dyjzvzp8eMZWUXbBCjEvwSkkk59S5iCNLY3QrkX6R' },
  { name: 'Orca', symbol: 'ORCA', address: 'orcaEKTdK7LKz57vaAYr9QeNsVEPfiu6QeMU1kektZE' },
  { name: 'Meteora', symbol: 'MET', address: 'METvsvVRapdj9cFLzq4Tr43xK4tAjQfwX76z3n6mWQL' },
  { name: 'Lifinity', symbol: 'LFNTY', address: 'LFNTYraetVioAPnGJht4yNg2aUZFXR776cMeN9VMjXp' },
] as const;

/** The token of a pool's exchange, if any. */
export function protocolToken(source: string | undefined, now: number) {
  const protocol = PROTOCOLS.find(({ name }) => source?.startsWith(name));
  if (protocol === undefined) return undefined;
  const { name, symbol, address } = protocol;
  const known = knownVariant(address);
  const isTraded = known !== undefined && metricsOf(known, now) !== null;
  return { address, symbol, name, icon: (isTraded ? imageOf(symbol) : null) ?? undefined };
}

function quoteFor(mint: string, chance: number) {
  const quote = [USDC, SOL, USDC, JITO_SOL][Math.floor(chance * 4)] ?? USDC;
  if (quote.address !== mint) return quote;
  return mint === USDC.address ? SOL : USDC;
}

// A few pools hold most of the liquidity, like in real markets.
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
  if (metrics === null) return [];
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
        icon: imageOf(variant.symbol) ?? undefined,
        name: variant.name,
      },
      quote: { ...quote, icon: imageOf(quote.symbol) ?? undefined },
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

/** A page of the pools of a variant, deepest first. */
export function poolsOf(variant: Variant, page: { readonly offset: number; readonly limit: number }, now: number) {
  const rows = shares(variant).slice(page.offset, page.offset + page.limit);
  return rows.flatMap((share, index) => poolAt(variant, page.offset + index, share, now));
}

/** The busiest pools of a variant with totals; undefined without pools. */
export function topPools(variant: Variant, now: number) {
  const pools = poolsOf(variant, { offset: 0, limit: variant.pools }, now);
  const [topMarket, ...others] = pools.toSorted((a, b) => b.volume24h - a.volume24h).slice(0, TOP);
  if (topMarket === undefined) return undefined;
  return {
    topMarket,
    protocolToken: protocolToken(topMarket.source, now),
    topMarkets: [topMarket, ...others].map((market) => ({
      market,
      protocolToken: protocolToken(market.source, now),
    })),
    marketsTotal: variant.pools,
    totalLiquidity: metricsOf(variant, now)?.liquidity ?? null,
    lastFetchedAt: fetchedAt(now),
  };
}

/** The number of pools of a variant; undefined without a market. */
export const poolCount = (variant: Variant, now: number): number | undefined =>
  metricsOf(variant, now) === null ? undefined : variant.pools;
