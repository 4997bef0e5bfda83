import { readFileSync } from 'node:fs';
import { routes } from '@asset-gateway/protocol';
import { closest } from 'fastest-levenshtein';
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

function textOf(read: Reader, path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    read.check(false, `${NAME}: ${isMissing ? 'no such file as' : 'this user cannot read'} ${path}.`);
    return undefined;
  }
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** An operator's own prices by route id. Where several names stand for a route, the longest one counts. */
export function readPrices(read: Reader): ReadonlyMap<string, number> {
  const path = read.optional(NAME);
  const text = path === undefined ? undefined : textOf(read, path);
  if (text === undefined) return new Map();
  const prices = parsed(text);
  read.check(prices !== undefined, `${NAME} must be a JSON object such as {"rpc.*": 1500, "das.*": 2000}.`);
  const entries = Object.entries(prices ?? {});
  for (const [name, price] of entries) {
    const fault = faultOf(name, price);
    if (fault !== undefined) read.faults.push(`${NAME}: ${fault}.`);
  }
  const byLength = entries.toSorted(([one], [other]) => one.length - other.length);
  return new Map(byLength.flatMap(([name, price]) => idsOf(name).map((id) => [id, Number(price)] as const)));
}
