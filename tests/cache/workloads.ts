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

/** Requests of a Poisson process for assets with Zipf's popularity. */
export interface Workload {
  readonly name: string;
  /** Honest requests a second. */
  readonly rate: number;
  readonly assets: number;
  readonly exponent: number;
  readonly mix: Mix;
  readonly seed: number;
  readonly seconds: number;
  /** Requests that do not count: each for a key of its own, or with `Cache-Control: no-cache`. */
  readonly attack?: { readonly kind: 'random' | 'noCache'; readonly rate: number };
}

const usual = { name: 'usual', exponent: 0.9, mix: USUAL, warmUpHours: 6 };

/** None of these chose the constants of the order. Slow requests fill the cache slowly. */
const WORKLOADS = [
  { ...usual, rate: 10, assets: 50, seed: 73 },
  { ...usual, rate: 1, assets: 120, seed: 75, warmUpHours: 4 },
  { ...usual, rate: 30, assets: 300, seed: 74, warmUpHours: 4 },
  { ...usual, rate: 100, assets: 120, seed: 83, warmUpHours: 2 },
  { ...usual, name: 'batches', rate: 10, assets: 120, exponent: 1.1, mix: BATCHES, seed: 79 },
  { ...usual, name: 'random keys', rate: 10, assets: 120, seed: 80, attack: { kind: 'random', rate: 80 } },
  { ...usual, name: 'no-cache', rate: 10, assets: 120, seed: 81, attack: { kind: 'noCache', rate: 30 } },
] as const;

/** Workloads with steady caches, and the second from which they are measured; or two shorter ones, which take a few seconds. */
export const workloads = (isFull: boolean): readonly (readonly [Workload, fromSeconds: number])[] =>
  WORKLOADS.slice(0, isFull ? undefined : 2).map(({ warmUpHours, ...each }) => {
    const [from, hours] = isFull ? [warmUpHours, each.rate === 1 ? 3 : 1] : [1, 0.5];
    return [{ ...each, seconds: (from + hours) * HOUR }, from * HOUR];
  });

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

/** How popular each asset is; the sum is 1. */
export function popularity({ assets, exponent }: Workload): readonly number[] {
  const weights = Array.from({ length: assets }, (_, rank) => (rank + 1) ** -exponent);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
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
  const drawAsset = drawer(popularity(workload));
  const rate = workload.rate + (attack?.rate ?? 0);
  let serial = 0;
  for (let now = 0; ; ) {
    now += -Math.log(1 - random()) / rate;
    if (now >= workload.seconds) return;
    const isHonest = random() * rate < workload.rate;
    const kind = kinds[drawKind(random)];
    if (!kind) return;
    const { name, lifetime, batch } = kind;
    const key = (asset: number | string): CacheKey => ({
      id: `${name}:${asset}`,
      ...lifetime,
      ...(batch && { batch }),
    });
    const asset = () => drawAsset(random);
    const count = batch && isHonest ? 1 + Math.floor(random() * MOST_MINTS) : 1;
    const isRandom = !isHonest && attack?.kind === 'random';
    const assets = isRandom ? [`x${serial++}`] : [...new Set(Array.from({ length: count }, asset))];
    yield { atMs: now * 1_000, kind: name, keys: assets.map(key), isHonest, refusesCached: !isHonest && !isRandom };
  }
}

/** The largest share of honest requests that an order could answer if it knew every rate: the keys with the most answers a call first. */
export function boundOf(workload: Workload): number {
  const keys = Object.entries(workload.mix).flatMap(([name, share]) => {
    const { lifetime, batch } = kindOf(name);
    const each = batch ? (1 + MOST_MINTS) / 2 : 1;
    return popularity(workload).map((weight) => {
      const answers = workload.rate * share * weight;
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
  return answered / workload.rate;
}
