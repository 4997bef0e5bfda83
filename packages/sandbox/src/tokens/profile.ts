import { candlesOf, canonicalWalk } from './candles.ts';
import { listedMarket } from './canonical.ts';
import type { Asset } from './model.ts';
import { between, draw, seedOf, significant } from './seed.ts';
import type { Walk } from './walk.ts';

const WEEK = 604_800;

function allTimeHigh(walk: Walk, seconds: number): { allTimeHigh: number; allTimeHighDate: string } {
  const weeks = candlesOf(walk, { seconds: WEEK, from: walk.since, to: seconds + 1, now: seconds });
  const [highest] = weeks.toSorted((a, b) => b.high - a.high);
  return {
    allTimeHigh: highest?.high ?? 0,
    allTimeHighDate: highest === undefined ? '' : new Date(highest.time * 1000).toISOString(),
  };
}

/** The external profile of an asset; null if CoinGecko has no price. */
export function profileOf(asset: Asset, now: number) {
  const market = listedMarket(asset, now);
  if (asset.coingeckoId === undefined || market === undefined || market.price === null) return null;
  const { price, marketCap, priceChange24hPercent, volume24hUSD } = market;
  const totalSupply = significant(asset.supply * between(1, 1.3, `${asset.id}/total`), 9);
  return {
    marketCap: marketCap ?? 0,
    fdv: significant(totalSupply * price, 12),
    circulatingSupply: asset.supply,
    totalSupply,
    price,
    priceChange24h: priceChange24hPercent ?? 0,
    volume24h: volume24hUSD ?? 0,
    ...allTimeHigh(canonicalWalk(asset), Math.floor(now / 1000)),
    description: asset.about || undefined,
    links: { website: asset.website, twitter: asset.twitter },
  };
}

const EXCHANGES = [
  'Binance',
  'Coinbase Exchange',
  'OKX',
  'Bybit',
  'Kraken',
  'Bitget',
  'Gate',
  'KuCoin',
  'Upbit',
  'MEXC',
  'Crypto.com Exchange',
  'Bitstamp',
  'HTX',
  'Bitfinex',
  'Gemini',
  'Bithumb',
  'LBank',
  'BitMart',
] as const;
const TARGETS = ['USDT', 'USD', 'USDC', 'EUR', 'BTC', 'KRW', 'TRY', 'GBP', 'FDUSD', 'BRL', 'JPY'] as const;
const TRUST = ['green', 'green', 'green', 'yellow', 'red', null] as const;

const identifierOf = (exchange: string): string => exchange.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');

/** Pairs an exchange with a target, without repeating a pair in a list. */
function pairAt(index: number): { exchange: string; target: string } {
  const exchange = EXCHANGES[index % EXCHANGES.length] ?? 'Binance';
  const target = TARGETS[(Math.floor(index / EXCHANGES.length) + index) % TARGETS.length] ?? 'USDT';
  return { exchange, target };
}

interface Traded {
  readonly price: number;
  readonly volume24hUSD: number;
}

function tickerAt(asset: Asset, index: number, market: Traded, now: number) {
  const seed = seedOf(`${asset.id}/ticker/${index}`);
  const { exchange, target } = pairAt(index);
  const identifier = identifierOf(exchange);
  const stale = draw(seed, 5) > 0.96;
  const seen = Math.floor(now / 60_000) * 60_000 - Math.floor(between(0, stale ? 3e7 : 2e5, `${seed}`));
  return {
    base: asset.symbol ?? asset.id,
    target: target === asset.symbol ? 'ETH' : target,
    market: {
      name: exchange,
      identifier,
      logo: `https://images.sandbox.example/exchanges/${identifier}.png`,
      hasTradingIncentive: draw(seed, 1) > 0.93,
    },
    priceUsd: significant(market.price * (0.998 + 0.004 * draw(seed, 2)), 9),
    volume24hUsd: significant((market.volume24hUSD * (0.75 + 0.5 * draw(seed, 3))) / (4 * (index + 1) ** 1.2), 9),
    spreadPercent: significant(0.01 + draw(seed, 4) ** 3 * 0.9, 5),
    tradeUrl: draw(seed, 6) > 0.1 ? `https://${identifier}.example/trade/${asset.symbol}-${target}` : null,
    trustScore: TRUST[Math.floor(draw(seed, 7) * TRUST.length)] ?? null,
    isAnomaly: draw(seed, 8) > 0.98,
    isStale: stale,
    timestamp: draw(seed, 9) > 0.02 ? new Date(seen).toISOString() : null,
  };
}

/** All exchange tickers of an asset, by volume; null if CoinGecko does not know the asset. */
export function tickersOf(asset: Asset, now: number) {
  if (asset.coingeckoId === undefined) return null;
  const { price, volume24hUSD } = listedMarket(asset, now) ?? {};
  const market = { price: price ?? 0, volume24hUSD: volume24hUSD ?? 0 };
  const rows = Array.from({ length: asset.tickers }, (_, index) => tickerAt(asset, index, market, now));
  return rows.toSorted((a, b) => b.volume24hUsd - a.volume24hUsd);
}
