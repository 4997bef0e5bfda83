import { USUAL } from './workload.mjs';

const HOUR = 3600;
const parts = (mix, share) => Object.fromEntries(Object.entries(mix).map(([row, part]) => [row, part * share]));
const BATCHES = { ...parts(USUAL, 0.5), marketSnapshots: 0.35, variantMarkets: 0.15 };
const PRICES = { assetDetail: 0.5, variantMarket: 0.2, 'priceChart 15m': 0.2, 'ohlcv 1m': 0.1 };
const LOOKUPS = { search: 0.3, resolve: 0.2, assetDetail: 0.2, riskDetails: 0.1, variantTopMarkets: 0.1, profile: 0.1 };

/** Warm-up until the caches are steady, by requests a second: slow requests need longer. */
const WARM_UP_SECONDS = { 1: 4 * HOUR, 3: 6 * HOUR, 10: 6 * HOUR, 30: 4 * HOUR, 100: 2 * HOUR };

function workload(name, [rate, assets, exponent], more = {}) {
  const warmUpSeconds = WARM_UP_SECONDS[rate];
  const seconds = warmUpSeconds + (rate === 1 ? 3 : 1) * HOUR;
  const spread = {
    moves: more.moves,
    crowd: more.crowd && { ...more.crowd, from: warmUpSeconds, until: warmUpSeconds + 900 },
  };
  return { name, rate, assets, exponent, mix: USUAL, seed: 1, ...more, ...spread, warmUpSeconds, seconds };
}

const MOVES = { moves: { everySeconds: 1800, share: 0.2 } };
const CROWD = { crowd: { share: 0.5 } };
const random = (rate) => ({ attack: { kind: 'random', rate } });
const noCache = (rate) => ({ attack: { kind: 'noCache', rate } });

/** The workloads used to choose the constants of the order. */
const tuned = [
  workload('usual', [100, 50, 1]),
  workload('usual', [100, 200, 1]),
  workload('usual', [100, 1000, 0.8]),
  workload('usual', [10, 200, 0.8]),
  workload('usual', [10, 1000, 1.2]),
  workload('usual', [10, 1000, 0.8]),
  workload('usual', [1, 50, 1]),
  workload('usual', [1, 200, 0.8]),
  workload('usual', [1, 1000, 1]),
  workload('popularity moves', [10, 200, 1], MOVES),
  workload('flash crowd', [10, 200, 1], CROWD),
  workload('batches', [10, 200, 1], { mix: BATCHES }),
  workload('50/s random keys', [10, 200, 1], random(50)),
  workload('20/s no-cache', [10, 200, 1], noCache(20)),
];

/** Workloads not used for that choice: other seeds, sizes, exponents and mixes. */
const heldOut = [
  workload('prices', [10, 120, 0.9], { seed: 71, mix: PRICES }),
  workload('lookups', [10, 500, 1.1], { seed: 72, mix: LOOKUPS }),
  workload('usual', [10, 50, 0.9], { seed: 73 }),
  workload('usual', [30, 300, 0.9], { seed: 74 }),
  workload('usual', [1, 120, 0.9], { seed: 75 }),
  workload('prices', [1, 300, 1.1], { seed: 76, mix: PRICES }),
  workload('popularity moves', [10, 120, 1.1], { seed: 77, moves: { everySeconds: 2400, share: 0.15 } }),
  workload('flash crowd', [30, 300, 0.9], { seed: 78, ...CROWD }),
  workload('batches', [10, 120, 1.1], { seed: 79, mix: BATCHES }),
  workload('80/s random keys', [10, 120, 0.9], { seed: 80, ...random(80) }),
  workload('30/s no-cache', [10, 120, 0.9], { seed: 81, ...noCache(30) }),
  workload('prices', [100, 500, 1.1], { seed: 82, mix: PRICES }),
  workload('usual', [100, 120, 0.9], { seed: 83 }),
];

/** Two held-out workloads with a warm-up of one hour: a few seconds of CPU. */
export const QUICK = heldOut
  .filter(({ seed }) => seed === 73 || seed === 75)
  .map((each) => ({ ...each, warmUpSeconds: HOUR, seconds: 1.5 * HOUR, isHeldOut: true }));

export const WORKLOADS = [
  ...tuned.map((each) => ({ ...each, isHeldOut: false })),
  ...heldOut.map((each) => ({ ...each, isHeldOut: true })),
];
