import { readFileSync } from 'node:fs';
import { drawer, exponential, randomFrom } from './random.mjs';

const TABLE = JSON.parse(readFileSync(new URL('workloads.json', import.meta.url), 'utf8'));
const HOUR = 3600;

/** The usual kinds of request and their assumed shares. */
export const USUAL = TABLE.mixes.usual;

/** A workload of the table. Its warm-up lasts until the caches are steady: slow requests need longer. */
function workloadOf({ mix = 'usual', crowd, ...rest }, isHeldOut) {
  const warmUpSeconds = TABLE.warmUpHours[rest.rate] * HOUR;
  const seconds = warmUpSeconds + (rest.rate === 1 ? 3 : 1) * HOUR;
  const crowded = crowd && { crowd: { ...crowd, from: warmUpSeconds, until: warmUpSeconds + 900 } };
  return { seed: 1, ...rest, ...crowded, mix: TABLE.mixes[mix], warmUpSeconds, seconds, isHeldOut };
}

/** The workloads that chose the constants of the order, and others: with other seeds, sizes, exponents and mixes. */
export const WORKLOADS = [
  ...TABLE.tuned.map((each) => workloadOf(each, false)),
  ...TABLE.heldOut.map((each) => workloadOf(each, true)),
];

/** Two held-out workloads with a warm-up of one hour: a few seconds of CPU. */
export const QUICK = WORKLOADS.filter(({ seed }) => seed === 73 || seed === 75).map((each) => ({
  ...each,
  warmUpSeconds: HOUR,
  seconds: 1.5 * HOUR,
}));

const zipf = (assets, exponent) => Array.from({ length: assets }, (_, rank) => (rank + 1) ** -exponent);

function normal(weights) {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}

function shuffledPart(weights, share, random) {
  const moved = weights.map((_, index) => index).filter(() => random() < share);
  const targets = [...moved].sort(() => random() - 0.5);
  const next = [...weights];
  moved.forEach((from, index) => {
    next[targets[index]] = weights[from];
  });
  return next;
}

/** The popularity of the assets, as a list of time spans. */
export function segmentsOf({ assets, exponent, seconds, seed, moves, crowd }) {
  const random = randomFrom(seed ^ 0x5eed);
  let weights = normal(zipf(assets, exponent));
  if (crowd) {
    const flooded = weights.map(
      (weight, index) => weight * (1 - crowd.share) + (index === assets - 1 ? crowd.share : 0),
    );
    return [
      { until: crowd.from, weights },
      { until: crowd.until, weights: flooded },
      { until: seconds, weights },
    ];
  }
  if (!moves) return [{ until: seconds, weights }];
  const segments = [];
  for (let until = moves.everySeconds; until < seconds + moves.everySeconds; until += moves.everySeconds) {
    segments.push({ until: Math.min(until, seconds), weights });
    weights = shuffledPart(weights, moves.share, random);
  }
  return segments;
}

/** All requests of a workload in order of time: `{ atMs, row, keys, isHonest, refusesCached }`. */
export function* requestsOf(workload, rows) {
  const random = randomFrom(workload.seed);
  const kinds = Object.keys(workload.mix);
  const kind = drawer(Object.values(workload.mix));
  const attack = workload.attack;
  const rate = workload.rate + (attack?.rate ?? 0);
  const segments = segmentsOf(workload);
  const assets = segments.map(({ weights }) => drawer(weights));
  let [now, segment, serial] = [0, 0, 0];
  while (true) {
    now += exponential(random, rate);
    while (segments[segment] && segments[segment].until <= now) segment++;
    if (!segments[segment]) return;
    const atMs = now * 1000;
    const asset = () => assets[segment](random);
    const isHonest = random() * rate < workload.rate;
    const row = kinds[kind(random)];
    const { key, batch } = rows.get(row);
    if (!isHonest && attack.kind === 'random') {
      yield { atMs, row, keys: [key(`x${serial++}`)], isHonest, refusesCached: false };
    } else if (batch && isHonest) {
      const mints = new Set(Array.from({ length: 1 + Math.floor(random() * (workload.mints ?? 20)) }, asset));
      yield { atMs, row, keys: [...mints].map(key), isHonest, refusesCached: false };
    } else yield { atMs, row, keys: [key(asset())], isHonest, refusesCached: !isHonest };
  }
}

/** The simulated rows with the gateway's lifetimes. */
export const rowsOf = ({ LIFETIMES, BATCH_SIZES, candlesLifetime }, kinds) =>
  new Map(
    kinds.map((kind) => {
      const [method, interval] = kind.split(' ');
      const lifetime = interval ? candlesLifetime(interval, false) : LIFETIMES[`tokens.${method}`];
      const size = BATCH_SIZES[`tokens.${method}`];
      const batch = size && { name: method, size };
      const key = (asset) => ({ id: `${kind}:${asset}`, ...lifetime, ...(batch && { batch }) });
      return [kind, { lifetime, batch, key }];
    }),
  );
