const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const large = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const small = new Intl.NumberFormat('en', { maximumSignificantDigits: 4 });

const NONE = '–';

export const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

/** A price in dollars: cents of what is dear, digits of what is cheap. */
export function price(value: unknown): string {
  if (!isNumber(value)) return NONE;
  return `$${Math.abs(value) >= 1 || value === 0 ? large.format(value) : small.format(value)}`;
}

/** An amount in dollars, in short. */
export const amount = (value: unknown): string => (isNumber(value) ? `$${compact.format(value)}` : NONE);

/** A number, in short. */
export const count = (value: unknown): string => (isNumber(value) ? compact.format(value) : NONE);

/** A change in percent, with its sign. */
export const change = (value: unknown): string =>
  isNumber(value) ? `${value > 0 ? '+' : ''}${value.toFixed(2)}%` : NONE;

/** A moment in UTC, to the day or to the minute. */
export function moment(seconds: unknown, withTime = false): string {
  if (!isNumber(seconds) || Math.abs(seconds) > 8.64e12) return NONE;
  const text = new Date(seconds * 1000).toISOString();
  return withTime ? text.slice(0, 16).replace('T', ' ') : text.slice(0, 10);
}
