import type { CacheKey } from '../../packages/gateway/src/cache/cache-key.ts';
import { BATCH_SIZES, candlesLifetime, LIFETIMES, type Lifetime } from '../../packages/gateway/src/cache/lifetimes.ts';
import { type Random, randomFrom } from '../kit/random.ts';

/** The gateway's limits, and an upstream that takes 0.3 s. */
export const GATEWAY = { slots: 30, windowSeconds: 60, upstreamSeconds: 0.3, waitSeconds: 2, maxWaiting: 256 };

const HOUR = 3_600;
const MOST_MINTS = 20;

/** Kinds of request and their assumed shares; candles with their interval. */
type Mix = Readonly<Record<string, number>>;

export const USUAL: Mix = {
  assetDetail: 0.3,
  'ohlcv 1H': 0.15,
  'priceChart 1H': 0.12,
  variants: 0.1,
  markets: 0.08,
  riskSummary: 0.07,
  profile: 0.06,
  tickers: 0.05,
  description: 0.03,
  variantMarket: 0.04,
};
const HALVED: Mix = Object.fromEntries(Object.entries(USUAL).map(([kind, share]) => [kind, share / 2]));
const BATCHES: Mix = { ...HALVED, marketSnapshots: 0.35, variantMarkets: 0.15 };
const PRICES: Mix = { assetDetail: 0.5, variantMarket: 0.2, 'priceChart 15m': 0.2, 'ohlcv 1m': 0.1 };
const LOOKUPS: Mix = {
  search: 0.3,
  resolve: 0.2,
  assetDetail: 0.2,
  riskDetails: 0.1,
  variantTopMarkets: 0.1,
  profile: 0.1,
};

/** Requests of a Poisson process for assets with Zipf's popularity. */
export interface Workload {
  readonly name: string;
  /** Honest requests a second. */
  readonly rate: number;
  readonly assets: number;
  readonly exponent: number;
  readonly mix: Mix;
  readonly seed: number;
  /** The first are not measured: the caches fill. */
  readonly warmUpSeconds: number;
  readonly seconds: number;
  /** Requests that do not count: each for a key of its own, or with `Cache-Control: no-cache`. */
  readonly attack?: { readonly kind: 'random' | 'noCache'; readonly rate: number };
  /** So often this share of the assets changes its popularity. */
  readonly moves?: { readonly everySeconds: number; readonly share: number };
  /** The share of requests for the rarest asset in the first quarter of an hour after the warm-up. */
  readonly crowd?: number;
}

const WARM_UP_HOURS: Readonly<Record<number, number>> = { 1: 4, 10: 6, 30: 4, 100: 2 };

type Change = Partial<Pick<Workload, 'mix' | 'attack' | 'moves' | 'crowd'>>;
type Row = readonly [name: string, rate: number, assets: number, exponent: number, change?: Change];

/** These chose the constants of the order. */
const TUNED: readonly Row[] = [
  ['usual', 100, 50, 1],
  ['usual', 100, 200, 1],
  ['usual', 100, 1_000, 0.8],
  ['usual', 10, 200, 0.8],
  ['usual', 10, 1_000, 1.2],
  ['usual', 10, 1_000, 0.8],
  ['usual', 1, 50, 1],
  ['usual', 1, 200, 0.8],
  ['usual', 1, 1_000, 1],
  ['popularity moves', 10, 200, 1, { moves: { everySeconds: 1_800, share: 0.2 } }],
  ['flash crowd', 10, 200, 1, { crowd: 0.5 }],
  ['batches', 10, 200, 1, { mix: BATCHES }],
  ['50/s random keys', 10, 200, 1, { attack: { kind: 'random', rate: 50 } }],
  ['20/s no-cache', 10, 200, 1, { attack: { kind: 'noCache', rate: 20 } }],
];

/** These did not, so that they show what the order does with requests that it was not made for. */
const HELD_OUT: readonly Row[] = [
  ['prices', 10, 120, 0.9, { mix: PRICES }],
  ['lookups', 10, 500, 1.1, { mix: LOOKUPS }],
  ['usual', 10, 50, 0.9],
  ['usual', 30, 300, 0.9],
  ['usual', 1, 120, 0.9],
  ['prices', 1, 300, 1.1, { mix: PRICES }],
  ['popularity moves', 10, 120, 1.1, { moves: { everySeconds: 2_400, share: 0.15 } }],
  ['flash crowd', 30, 300, 0.9, { crowd: 0.5 }],
  ['batches', 10, 120, 1.1, { mix: BATCHES }],
  ['80/s random keys', 10, 120, 0.9, { attack: { kind: 'random', rate: 80 } }],
  ['30/s no-cache', 10, 120, 0.9, { attack: { kind: 'noCache', rate: 30 } }],
  ['prices', 100, 500, 1.1, { mix: PRICES }],
  ['usual', 100, 120, 0.9],
];

const FIRST_SEED = 71;

function workloadOf([name, rate, assets, exponent, change]: Row, seed: number): Workload {
  const warmUpSeconds = HOUR * (WARM_UP_HOURS[rate] ?? 0);
  const seconds = warmUpSeconds + HOUR * (rate === 1 ? 3 : 1);
  return { name, rate, assets, exponent, mix: USUAL, seed, warmUpSeconds, seconds, ...change };
}

/** All workloads; slow requests fill the cache slowly. */
export const WORKLOADS: readonly Workload[] = [
  ...TUNED.map((row) => workloadOf(row, 1)),
  ...HELD_OUT.map((row, index) => workloadOf(row, FIRST_SEED + index)),
];

const QUICK_SEEDS = [73, 75];

/** Two of them with shorter times, which take a few seconds. */
export const QUICK: readonly Workload[] = WORKLOADS.filter(({ seed }) => QUICK_SEEDS.includes(seed)).map((each) => ({
  ...each,
  warmUpSeconds: HOUR,
  seconds: 1.5 * HOUR,
}));

/** A kind of request, with the gateway's lifetime. */
interface Kind {
  readonly lifetime: Lifetime;
  readonly batch?: { readonly name: string; readonly size: number };
}

export function kindOf(name: string): Kind {
  const [method = '', interval] = name.split(' ');
  const lifetime = interval ? candlesLifetime(interval, false) : LIFETIMES[`tokens.${method}`];
  if (!lifetime) throw new Error(`${name} is not cached`);
  const size = BATCH_SIZES[`tokens.${method}`];
  return { lifetime, ...(size !== undefined && { batch: { name: method, size } }) };
}

export interface SimulatedRequest {
  readonly atMs: number;
  readonly kind: string;
  readonly keys: readonly CacheKey[];
  readonly isHonest: boolean;
  readonly refusesCached: boolean;
}

/** How popular each asset is until a time; the sum is 1. */
interface Span {
  readonly untilSeconds: number;
  readonly weights: readonly number[];
}

function zipf(assets: number, exponent: number): readonly number[] {
  const weights = Array.from({ length: assets }, (_, rank) => (rank + 1) ** -exponent);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}

/** The weights with a part of them in another order. */
function moved(weights: readonly number[], share: number, random: Random): readonly number[] {
  const from = weights.map((_, index) => index).filter(() => random() < share);
  const to = from.map((index) => ({ index, at: random() })).sort((a, b) => a.at - b.at);
  const next = [...weights];
  for (const [place, { index }] of to.entries()) next[index] = weights[from[place] ?? 0] ?? 0;
  return next;
}

/** The popularity of the assets of a workload, span after span. */
function spansOf({ assets, exponent, seconds, warmUpSeconds, seed, moves, crowd }: Workload): readonly Span[] {
  const usual = zipf(assets, exponent);
  if (moves) {
    const random = randomFrom(seed ^ 0x5eed);
    let weights = usual;
    return Array.from({ length: Math.ceil(seconds / moves.everySeconds) }, (_, index) => {
      if (index > 0) weights = moved(weights, moves.share, random);
      return { untilSeconds: Math.min(seconds, (index + 1) * moves.everySeconds), weights };
    });
  }
  if (crowd === undefined) return [{ untilSeconds: seconds, weights: usual }];
  const crowded = usual.map((weight, rank) => weight * (1 - crowd) + (rank === assets - 1 ? crowd : 0));
  return [
    { untilSeconds: warmUpSeconds, weights: usual },
    { untilSeconds: warmUpSeconds + HOUR / 4, weights: crowded },
    { untilSeconds: seconds, weights: usual },
  ];
}

/** Draws an index by weight. */
function drawer(weights: readonly number[]): (random: Random) => number {
  let total = 0;
  const sums = weights.map((weight) => (total += weight));
  return (random) => {
    const wanted = random() * total;
    return Math.max(
      0,
      sums.findIndex((sum) => sum > wanted),
    );
  };
}

/** All requests of a workload in order of time. */
export function* requestsOf(workload: Workload): Generator<SimulatedRequest> {
  const { attack, mix } = workload;
  const random = randomFrom(workload.seed);
  const kinds = Object.entries(mix).map(([name]) => ({ name, ...kindOf(name) }));
  const drawKind = drawer(Object.values(mix));
  const spans = spansOf(workload).map(({ untilSeconds, weights }) => ({ untilSeconds, draw: drawer(weights) }));
  const rate = workload.rate + (attack?.rate ?? 0);
  let serial = 0;
  for (let now = 0; ; ) {
    now += -Math.log(1 - random()) / rate;
    while (spans[0] && spans[0].untilSeconds <= now) spans.shift();
    const [span] = spans;
    if (!span) return;
    const isHonest = random() * rate < workload.rate;
    const kind = kinds[drawKind(random)];
    if (!kind) return;
    const { name, lifetime, batch } = kind;
    const key = (asset: number | string): CacheKey => ({
      id: `${name}:${asset}`,
      ...lifetime,
      ...(batch && { batch }),
    });
    const asset = () => span.draw(random);
    const count = batch && isHonest ? 1 + Math.floor(random() * MOST_MINTS) : 1;
    const isRandom = !isHonest && attack?.kind === 'random';
    const assets = isRandom ? [`x${serial++}`] : [...new Set(Array.from({ length: count }, asset))];
    yield { atMs: now * 1_000, kind: name, keys: assets.map(key), isHonest, refusesCached: !isHonest && !isRandom };
  }
}

/** The largest share of honest requests that an order could answer if it knew every rate. */
export function boundOf(workload: Workload): number {
  const { warmUpSeconds, seconds } = workload;
  let [answered, fromSeconds] = [0, 0];
  for (const { untilSeconds, weights } of spansOf(workload)) {
    const measured = Math.max(0, untilSeconds - Math.max(fromSeconds, warmUpSeconds));
    answered += measured * mostAnswered(workload, weights);
    fromSeconds = untilSeconds;
  }
  return answered / (seconds - warmUpSeconds);
}

/** The same for one popularity: the keys with the most answers a call first. */
function mostAnswered({ rate, mix }: Workload, weights: readonly number[]): number {
  const keys = Object.entries(mix).flatMap(([name, share]) => {
    const { lifetime, batch } = kindOf(name);
    const each = batch ? (1 + MOST_MINTS) / 2 : 1;
    return weights.map((weight) => {
      const answers = rate * share * weight;
      return { answers, calls: 1 / (lifetime.maxStaleSeconds + 1 / (answers * each)) / (batch?.size ?? 1) };
    });
  });
  let [answered, left] = [0, GATEWAY.slots / GATEWAY.windowSeconds];
  for (const { answers, calls } of keys.sort((a, b) => b.answers / b.calls - a.answers / a.calls)) {
    const part = Math.min(1, left / calls);
    answered += part * answers;
    left -= part * calls;
    if (left <= 0) break;
  }
  return answered / rate;
}
