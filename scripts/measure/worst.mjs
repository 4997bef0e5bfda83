import { measureWorst } from './worst/measure.mjs';
import { faultsIn, tableOf } from './worst/report.mjs';

/**
 * Measures the worst requests: for every route, or the named ones, the most expensive texts of the largest allowed size in path, query,
 * headers and body, with and without a sign-in or payment.
 */
export async function worst(words) {
  const results = await measureWorst({ ids: words, isFull: process.env.ROUNDS === 'full' });
  const faults = faultsIn(results);
  process.stdout.write(`${tableOf(results)}\n${faults.map((fault) => `${fault}\n`).join('')}`);
  process.exitCode = faults.length > 0 ? 1 : 0;
}
