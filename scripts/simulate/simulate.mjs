import { CallOrder } from '../../packages/gateway/dist/cache/call-order.js';
import * as lifetimes from '../../packages/gateway/dist/cache/lifetimes.js';
import { GATEWAY, SimulatedGateway } from './gateway.mjs';
import { Ours, StaleIfLimited } from './orders.mjs';
import { QUICK, requestsOf, rowsOf, segmentsOf, WORKLOADS } from './workload.mjs';

/** The largest share of honest requests that an order could answer if it knew every rate in advance. */
function boundOf(workload, rows) {
  let [answered, asked] = [0, 0];
  let from = 0;
  for (const { until, weights } of segmentsOf(workload)) {
    const seconds = Math.max(0, until - Math.max(from, workload.warmUpSeconds));
    from = until;
    answered += seconds * answeredOf(workload, weights, rows);
    asked += seconds * workload.rate;
  }
  return answered / asked;
}

/** Fractional knapsack: the keys with the most answers for a call first, until the calls are used up. */
function answeredOf({ rate, mix, mints = 20 }, weights, rows) {
  const keys = Object.entries(mix).flatMap(([row, share]) => {
    const { lifetime, batch } = rows.get(row);
    const each = batch ? (1 + mints) / 2 : 1;
    return weights.map((weight) => {
      const answers = rate * share * weight;
      return { answers, calls: 1 / (lifetime.maxStaleSeconds + 1 / (answers * each)) / (batch?.size ?? 1) };
    });
  });
  keys.sort((a, b) => b.answers / b.calls - a.answers / a.calls);
  let [answered, left] = [0, GATEWAY.slots / GATEWAY.windowSeconds];
  for (const { answers, calls } of keys) {
    const part = Math.min(1, left / calls);
    answered += part * answers;
    left -= part * calls;
    if (left <= 0) break;
  }
  return answered;
}

/** What an order makes of a workload's honest requests after the warm-up: the share answered, and how many answers were too old. */
function outcomeOf(workload, rows, order) {
  let [asked, answered, tooOld] = [0, 0, 0];
  const gateway = new SimulatedGateway(order, ({ row, atMs, isHonest }, ageSeconds) => {
    if (!isHonest || atMs < workload.warmUpSeconds * 1000) return;
    asked++;
    if (ageSeconds === undefined) return;
    answered++;
    if (ageSeconds > rows.get(row).lifetime.maxStaleSeconds) tooOld++;
  });
  gateway.run(requestsOf(workload, rows));
  return { share: answered / asked, tooOld };
}

/** The share of a workload that each order answers, and the best possible share. */
function measure(workload) {
  const rows = rowsOf(lifetimes, Object.keys(workload.mix));
  const bound = boundOf(workload, rows);
  const staleIfLimited = outcomeOf(workload, rows, new StaleIfLimited()).share;
  const { share: ours, tooOld } = outcomeOf(workload, rows, new Ours(CallOrder));
  return { bound, shares: { staleIfLimited, ours }, ofBound: ours / bound, tooOld };
}

const percent = (share) => (100 * share).toFixed(1);

const HEAD = `| requests/s | assets, Zipf | workload | bound | stale if limited | ours | of the bound |
|---|---|---|---|---|---|---|
`;

function lineOf({ rate, assets, exponent, name, isHeldOut }, { bound, shares, ofBound }) {
  const percents = [bound, shares.staleIfLimited, shares.ours].map(percent);
  const cells = [rate, `${assets}, ${exponent}`, `${name}${isHeldOut ? ' *' : ''}`, ...percents, ofBound.toFixed(2)];
  return `| ${cells.join(' | ')} |\n`;
}

/** Runs the workloads and writes a line for each: a table row, or JSON. */
export function simulate(words) {
  const isJson = words.includes('--json');
  const heldOut = WORKLOADS.filter(({ isHeldOut }) => isHeldOut);
  const chosen = words.includes('--quick') ? QUICK : words.includes('--held-out') ? heldOut : WORKLOADS;
  if (!isJson) process.stdout.write(HEAD);
  for (const workload of chosen) {
    const measured = measure(workload);
    const { mix: _, ...settings } = workload;
    process.stdout.write(isJson ? `${JSON.stringify({ ...settings, ...measured })}\n` : lineOf(workload, measured));
    if (!isJson && measured.tooOld > 0) process.stdout.write(`${measured.tooOld} answers were too old\n`);
  }
}
