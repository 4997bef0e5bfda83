import { CallOrder } from '../../packages/gateway/dist/cache/call-order.js';
import { measure } from './measure.mjs';
import { QUICK, WORKLOADS } from './workloads.mjs';

const percent = (share) => (100 * share).toFixed(1);
const hundredths = (part) => part?.toFixed(2) ?? '';
const ageText = (age) => (age ? `${hundredths(age.median)}, ${hundredths(age.p95)}` : '');

const HEAD = `| requests/s | assets, Zipf | workload | bound | none | time to live | stale if limited | ours | of the bound | age: all | age: prices |
|---|---|---|---|---|---|---|---|---|---|---|
`;

function lineOf({ rate, assets, exponent, name, isHeldOut }, { bound, shares, ofBound, ages }) {
  const percents = [bound, shares.none, shares.timeToLive, shares.staleIfLimited, shares.ours].map(percent);
  const cells = [rate, `${assets}, ${exponent}`, `${name}${isHeldOut ? ' *' : ''}`, ...percents, hundredths(ofBound)];
  return `| ${[...cells, ageText(ages.all), ageText(ages.prices)].join(' | ')} |\n`;
}

/** The CPU time of one request, in microseconds, in a flood of 10,000 a second for random keys. */
function microsOfFlood(requests = 50_000, intervalMs = 0.1) {
  const order = new CallOrder({ slots: 30, windowMs: 60_000, known: 8192, candidates: 256 });
  const before = process.cpuUsage();
  for (let index = 0; index < requests; index++) {
    const nowMs = index * intervalMs;
    const key = { id: `x${index}`, freshSeconds: 30, maxStaleSeconds: 300 };
    order.enqueue(key, { isWaiting: true, weight: 1, refusesCached: false }, nowMs);
    order.next(1, nowMs);
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / requests;
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
  if (!isJson) process.stdout.write(`\nA request in a flood of random keys: ${microsOfFlood().toFixed(1)} µs of CPU\n`);
}
