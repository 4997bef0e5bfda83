import { candlesOf, type History } from '../candles.ts';
import { type Asset, knownVariant, type Variant } from '../catalogue.ts';
import { fetchedAt, historyOf, historyOfVariant, metricsOf, minuteOf, statsOf } from '../market.ts';
import { draw, seedOf, significant } from '../seed.ts';
import { checkedMint, chosen, cut, pageOf, type RouteRequest, rangeOf, resolutionOf } from './request.ts';

/** Returns a price history's candles in a range; empty without a history. */
export function candlesIn(history: History | undefined, range: ReturnType<typeof rangeOf>, now: number) {
  const { seconds, from, to } = range;
  return history ? candlesOf(history, { seconds, from, to: to + 1, now: minuteOf(now) }) : [];
}

/** Returns candles of the variant that `mint` names, or of the primary one. */
export function ohlcv(request: RouteRequest) {
  const { asset, variant } = chosen(request);
  const range = rangeOf(request.query, request.now);
  const { interval, from, to } = range;
  const candles = candlesIn(historyOfVariant(variant), range, request.now);
  return { assetId: asset.id, mint: variant.mint, interval, from, to, candles };
}

/** Returns candles of the canonical price. */
export function priceChart({ reference, query, now }: RouteRequest) {
  const { asset } = resolutionOf(reference);
  const range = rangeOf(query, now);
  const { interval, from, to } = range;
  const candles = candlesIn(asset.price === 0 ? undefined : historyOf(asset), range, now);
  return { assetId: asset.id, interval, from, to, candles };
}

const missing = (message: string) => ({ ok: false, reason: 'not_found', message }) as const;

/** Returns an asset's external profile, or the reason why there is none. */
export function profileOf(asset: Asset, now: number) {
  const stats = statsOf(asset, now);
  if (stats === null) return missing('Profile not available in cache');
  const weeks = candlesOf(historyOf(asset), { seconds: 604_800, from: 0, to: now / 1000, now: minuteOf(now) });
  const [highest] = weeks.toSorted((a, b) => b.high - a.high);
  const { price, marketCap, circulatingSupply, totalSupply, priceChange24hPercent, volume24hUSD } = stats;
  const data = {
    marketCap,
    fdv: marketCap,
    circulatingSupply,
    totalSupply,
    price,
    priceChange24h: priceChange24hPercent,
    volume24h: volume24hUSD,
    allTimeHigh: highest?.high ?? price,
    allTimeHighDate: highest ? new Date(highest.time * 1000).toISOString() : '',
    description: asset.about || undefined,
    links: { website: asset.website, twitter: asset.twitter },
  };
  return { ok: true, data } as const;
}

/** Returns the profile of the asset in the path. */
export function profile({ reference, now }: RouteRequest) {
  const { asset } = resolutionOf(reference);
  return { assetId: asset.id, profile: profileOf(asset, now) };
}

const EXCHANGES = ['Binance', 'Coinbase Exchange', 'OKX', 'Bybit', 'Kraken', 'KuCoin', 'Upbit', 'Bitstamp'];
const TARGETS = ['USDT', 'USD', 'EUR'];
const PAIRS = Array.from({ length: EXCHANGES.length * TARGETS.length }, (_, index) => ({
  name: EXCHANGES[index % EXCHANGES.length],
  target: TARGETS[index % TARGETS.length],
}));

/** Returns a page of exchange tickers, largest volume first; empty for an asset without a price. */
export function tickers({ reference, query, now }: RouteRequest) {
  const { asset } = resolutionOf(reference);
  const page = pageOf(query, 50);
  const stats = statsOf(asset, now);
  const rows = (stats ? PAIRS : []).map(({ name, target }, index) => ({
    base: asset.symbol ?? asset.id,
    target,
    market: { name, hasTradingIncentive: false },
    priceUsd: significant((stats?.price ?? 0) * (0.998 + 0.004 * draw(seedOf(asset.id), index)), 9),
    volume24hUsd: significant((stats?.volume24hUSD ?? 0) / (4 * (index + 1)), 9),
    spreadPercent: 0.01 * (index + 1),
    tradeUrl: null,
    trustScore: index < 12 ? 'green' : 'yellow',
    isAnomaly: false,
    isStale: false,
    timestamp: new Date(fetchedAt(now)).toISOString(),
  }));
  const shown = { rows: cut(rows, page), total: rows.length, ...page, lastUpdatedAt: fetchedAt(now) };
  return { assetId: asset.id, tickers: shown };
}

const scored = (score: number) => ({ score, status: score >= 60 ? 'safe' : 'risk', hasData: true });

/** Returns a score that grows with the logarithm of a value: 100 at `full`. */
const logarithmic = (value: number, full: number) =>
  scored(Math.round(100 * Math.min(1, Math.log10(1 + value) / Math.log10(full))));

function verdictOf(score: number, hasInsufficientData: boolean) {
  const [grade, label, tone] =
    score >= 85
      ? ['A', 'Established', 'safe']
      : score >= 70
        ? ['B', 'Speculative', 'warning']
        : ['C', hasInsufficientData ? 'Insufficient Data' : 'Weak Metrics', 'risk'];
  const insufficientDataReason = hasInsufficientData ? 'No market is known' : null;
  return { score, grade, label, tone, isTrustedLaunch: false, caps: [], hasInsufficientData, insufficientDataReason };
}

/** Returns the verdict on a variant and the parts of its score. */
function scoreOf(variant: Variant, now: number) {
  const metrics = metricsOf(variant, now);
  const { liquidity = 0, holder = 0, volume24hUSD = 0 } = metrics ?? {};
  const liquidityHealth = logarithmic(liquidity, 1e7);
  const tradingActivity = logarithmic(volume24hUSD, 1e6);
  const holderCount = logarithmic(holder, 1e4);
  const score = Math.round((liquidityHealth.score + tradingActivity.score + holderCount.score) / 3);
  const holderDistribution = { score: 50, status: 'info', hasData: false };
  const components = { liquidityHealth, holderDistribution, tradingActivity, holderCount };
  return { verdict: verdictOf(score, metrics === null), components, metrics };
}

/** Returns the market score of a variant with its input. */
export function riskOf(variant: Variant, now: number) {
  const { verdict, components, metrics } = scoreOf(variant, now);
  return {
    marketScore: { ...verdict, borderlineSignals: [], components, tokenAgeDays: null },
    marketScoreInput: {
      liquidityUsd: metrics?.liquidity ?? null,
      marketCapUsd: metrics?.marketCap ?? null,
      holderCount: metrics?.holder ?? null,
      top10HoldersPercent: null,
      volume24hUsd: metrics?.volume24hUSD ?? null,
      volume7dUsd: metrics ? metrics.volume24hUSD * 7 : null,
      tokenMintTime: null,
      tokenAddress: variant.mint,
    },
  };
}

/** Returns a variant's score with more about its risk. */
function riskAnswer(request: RouteRequest, more: (risk: ReturnType<typeof riskOf>) => object) {
  const { asset, variant } = chosen(request);
  const risk = riskOf(variant, request.now);
  const { marketScore } = risk;
  const known = { ok: true, marketScore, lastUpdatedAt: fetchedAt(request.now), ...more(risk) };
  const unknown = missing('Market snapshot not available in cache');
  return { assetId: asset.id, mint: variant.mint, risk: marketScore.hasInsufficientData ? unknown : known };
}

/** Returns the score of a variant. */
export const riskSummary = (request: RouteRequest) => riskAnswer(request, () => ({}));

/** Returns the score of a variant with its input. */
export const riskDetails = (request: RouteRequest) =>
  riskAnswer(request, ({ marketScoreInput }) => ({ marketScoreInput, tags: [] }));

/** Returns the risk of a mint as a flat object. */
export function riskSummaryByMint({ query, now }: RouteRequest) {
  const variant = knownVariant(checkedMint(query.get('mint') ?? ''));
  return variant === undefined ? verdictOf(0, true) : scoreOf(variant, now).verdict;
}

/** Returns the description of a variant; null for untraded tokens. */
export function description(request: RouteRequest) {
  const { asset, variant } = chosen(request);
  const summary = `${variant.name} (${variant.symbol}): ${asset.name} on Solana. ${asset.about}`;
  const isTraded = metricsOf(variant, request.now) !== null;
  return {
    assetId: asset.id,
    mint: variant.mint,
    description: isTraded ? { summary, generatedAt: Date.parse(asset.since) } : null,
  };
}
