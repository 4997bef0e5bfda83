import { microsOfFlood } from './cost.mjs';
import { measure } from './measure.mjs';
import { QUICK, WORKLOADS } from './workloads.mjs';

const percent = (share) => (100 * share).toFixed(1);
const hundredths = (part) => part?.toFixed(2) ?? '';
const ageText = (age) => (age ? `${hundredths(age.median)}, ${hundredths(age.p95)}` : '');

const HEAD = `| requests/s | assets, Zipf | workload | bound | none | time to live | stale if limited | ours | of the bound | age: all | age: prices |
|---|---|---|---|---|---|---|---|---|---|---|
`;

export function lineOf({ rate, assets, exponent, name, isHeldOut }, { bound, shares, ofBound, ages }) {
  const percents = [bound, shares.none, shares.timeToLive, shares.staleIfLimited, shares.ours].map(percent);
  const told = [rate, `${assets}, ${exponent}`, `${name}${isHeldOut ? ' *' : ''}`, ...percents, hundredths(ofBound)];
  return `| ${[...told, ageText(ages.all), ageText(ages.prices)].join(' | ')} |\n`;
}

/** Runs the workloads, or those held out, and writes a line for each: a row of a table, or JSON. */
export function simulate(words) {
  const isJson = words.includes('--json');
  const heldOut = WORKLOADS.filter(({ isHeldOut }) => isHeldOut);
  const chosen = words.includes('--quick') ? QUICK : words.includes('--held-out') ? heldOut : WORKLOADS;
  if (!isJson) process.stdout.write(HEAD);
  for (const workload of chosen) {
    const measured = measure(workload);
    const { mix: _, ...told } = workload;
    process.stdout.write(isJson ? `${JSON.stringify({ ...told, ...measured })}\n` : lineOf(workload, measured));
    if (!isJson && measured.tooOld > 0) process.stdout.write(`${measured.tooOld} answers were too old\n`);
  }
  if (!isJson)
    process.stdout.write(`\nA request for a key that nobody has asked for: ${microsOfFlood().toFixed(1)} µs of CPU\n`);
}
