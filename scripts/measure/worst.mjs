import { measureWorst } from './worst/measure.mjs';
import { faultsIn, tableOf } from './worst/report.mjs';

/**
 * What the worst requests cost. For every row of the table the largest admissible texts of the worst kinds are sent in path, query,
 * headers and body, with and without a sign-in or a payment, and the CPU time of the gateway's process is taken. Words name the
 * rows to be measured, all unless told.
 */
export async function worst(words) {
  const results = await measureWorst({ ids: words, isFull: process.env.ROUNDS === 'full' });
  const faults = faultsIn(results);
  process.stdout.write(`${tableOf(results)}\n${faults.map((fault) => `${fault}\n`).join('')}`);
  process.exitCode = faults.length > 0 ? 1 : 0;
}
