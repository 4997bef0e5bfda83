import { CallOrder } from '../../packages/gateway/dist/cache/call-order.js';
import * as lifetimes from '../../packages/gateway/dist/cache/lifetimes.js';
import { GATEWAY, SimulatedGateway } from './gateway.mjs';
import { noCache, Ours, StaleIfLimited, timeToLive } from './orders.mjs';
import { rowsOf } from './rows.mjs';
import { requestsOf, segmentsOf } from './workload.mjs';

/** The largest share of honest requests that an order could answer if it knew every rate in advance. */
function boundOf(workload, rows, { slots, windowSeconds }) {
  let [answered, asked] = [0, 0];
  let from = 0;
  for (const { until, weights } of segmentsOf(workload)) {
    const seconds = Math.max(0, until - Math.max(from, workload.warmUpSeconds));
    from = until;
    answered += seconds * answeredOf(workload, weights, rows, slots / windowSeconds);
    asked += seconds * workload.rate;
  }
  return answered / asked;
}

/** Fractional knapsack: the keys with the most answers for a call first, until the calls are used up. */
function answeredOf({ rate, mix, mints = 20 }, weights, rows, callsPerSecond) {
  const keys = Object.entries(mix).flatMap(([row, share]) => {
    const { lifetime, batch } = rows.get(row);
    const each = batch ? (1 + mints) / 2 : 1;
    return weights.map((weight) => {
      const answers = rate * share * weight;
      return { answers, calls: 1 / (lifetime.maxStaleSeconds + 1 / (answers * each)) / (batch?.size ?? 1) };
    });
  });
  keys.sort((a, b) => b.answers / b.calls - a.answers / a.calls);
  let [answered, left] = [0, callsPerSecond];
  for (const { answers, calls } of keys) {
    const part = Math.min(1, left / calls);
    answered += part * answers;
    left -= part * calls;
    if (left <= 0) break;
  }
  return answered;
}

const ORDERS = {
  none: noCache,
  timeToLive,
  staleIfLimited: () => new StaleIfLimited(GATEWAY.slots),
  ours: () => new Ours(CallOrder, GATEWAY),
};
/** Rows with prices, whose answers should be young. */
const PRICE_ROWS = ['assetDetail', 'variantMarket', 'marketSnapshots', 'variantMarkets'];

const quantile = (sorted, part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];

/** The outcome of a workload's honest requests under one order, after the warm-up. */
function outcomeOf(workload, rows, order) {
  const outcome = { asked: 0, answered: 0, tooOld: 0, ages: new Map() };
  const gateway = new SimulatedGateway(order, ({ row, atMs, isHonest }, ageSeconds) => {
    if (!isHonest || atMs < workload.warmUpSeconds * 1000) return;
    outcome.asked++;
    if (ageSeconds === undefined) return;
    outcome.answered++;
    const part = ageSeconds / rows.get(row).lifetime.maxStaleSeconds;
    if (part > 1) outcome.tooOld++;
    const ages = outcome.ages.get(row) ?? [];
    ages.push(part);
    outcome.ages.set(row, ages);
  });
  gateway.run(requestsOf(workload, rows));
  return outcome;
}

function agesOf(parts) {
  const sorted = parts.sort((a, b) => a - b);
  return sorted.length === 0 ? undefined : { median: quantile(sorted, 0.5), p95: quantile(sorted, 0.95) };
}

/** The share of a workload that each order answers, the best possible share, and the ages under our order as fractions of the bound. */
export function measure(workload) {
  const rows = rowsOf(lifetimes, Object.keys(workload.mix));
  const outcomes = Object.entries(ORDERS).map(([name, make]) => [name, outcomeOf(workload, rows, make())]);
  const shares = Object.fromEntries(outcomes.map(([name, { answered, asked }]) => [name, answered / asked]));
  const { ages, tooOld } = Object.fromEntries(outcomes).ours;
  const all = [...ages.values()].flat();
  const prices = PRICE_ROWS.flatMap((row) => ages.get(row) ?? []);
  const bound = boundOf(workload, rows, GATEWAY);
  return { bound, shares, ofBound: shares.ours / bound, tooOld, ages: { all: agesOf(all), prices: agesOf(prices) } };
}
