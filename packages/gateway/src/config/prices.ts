import { routes } from '@asset-gateway/protocol';
import { closest } from 'fastest-levenshtein';
import { readObject } from './object-file.ts';
import type { Reader } from './settings.ts';

const NAME = 'PRICES_FILE';
const MAX_MICROS = 100_000_000;

const sold = routes.filter(({ access }) => access === 'exact').map(({ id }) => id);

/** The sold routes that a name stands for: one id, or all that begin with what is before a closing `*`. */
function idsOf(name: string): string[] {
  if (!name.endsWith('*')) return sold.filter((id) => id === name);
  const start = name.slice(0, -1);
  return start === '' || start.endsWith('.') ? sold.filter((id) => id.startsWith(start)) : [];
}

function faultOf(name: string, price: unknown): string | undefined {
  const shown = JSON.stringify(name);
  if (routes.some(({ id, access }) => id === name && access !== 'exact')) return `${shown} is free and has no price`;
  if (idsOf(name).length === 0) return `${shown} is no route that is sold; the nearest is ${closest(name, sold)}`;
  const isPrice = Number.isInteger(price) && Number(price) >= 1 && Number(price) <= MAX_MICROS;
  if (isPrice) return undefined;
  return `the price of ${shown} must be a whole number of millionths of a dollar from 1 to ${MAX_MICROS}`;
}

/** An operator's own prices by route id. Where several names stand for a route, the longest one counts. */
export function readPrices(read: Reader): ReadonlyMap<string, number> {
  const entries = Object.entries(readObject(read, NAME, '{"rpc.*": 1500, "das.*": 2000}'));
  for (const [name, price] of entries) {
    const fault = faultOf(name, price);
    if (fault !== undefined) read.faults.push(`${NAME}: ${fault}.`);
  }
  const byLength = entries.toSorted(([one], [other]) => one.length - other.length);
  return new Map(byLength.flatMap(([name, price]) => idsOf(name).map((id) => [id, Number(price)] as const)));
}
