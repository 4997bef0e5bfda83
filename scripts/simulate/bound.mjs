import { segmentsOf } from './workload.mjs';

/** The largest share of honest requests that an order could answer if it knew every rate in advance. */
export function boundOf(workload, rows, { slots, windowSeconds }) {
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
