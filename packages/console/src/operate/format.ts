const DOLLARS = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', maximumFractionDigits: 6 });
const TIME = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });
const MINUTES = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' });
const MICROS_PER_DOLLAR = 1_000_000;
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

type Value = number | null | undefined;

/** Shown for unknown values. */
export const UNKNOWN = '–';

const isKnown = (value: Value): value is number => typeof value === 'number' && Number.isFinite(value);

/** Formats a number; rates from 10 on have one decimal, from 100 on none. */
export function count(value: Value): string {
  if (!isKnown(value)) return UNKNOWN;
  const size = Math.abs(value);
  return value.toLocaleString('en-US', { maximumFractionDigits: size < 10 ? 2 : size < 100 ? 1 : 0 });
}

/** Formats millionths of a dollar. */
export const dollars = (micros: Value): string =>
  isKnown(micros) ? DOLLARS.format(micros / MICROS_PER_DOLLAR) : UNKNOWN;

/** Formats seconds in a readable unit. */
export function span(seconds: Value): string {
  if (!isKnown(seconds)) return UNKNOWN;
  if (seconds < 1) return `${Math.round(seconds * 1_000)} ms`;
  if (seconds < 2 * MINUTE) return `${count(seconds < 10 ? seconds : Math.round(seconds))} s`;
  if (seconds < 2 * HOUR) return `${Math.round(seconds / MINUTE)} min`;
  return seconds < 2 * DAY ? `${Math.round(seconds / HOUR)} h` : `${count(Math.round(seconds / DAY))} days`;
}

/** A time of day with seconds. */
export const clock = (atMs: number): string => (isKnown(atMs) ? TIME.format(atMs) : UNKNOWN);

/** A time of day. */
export const minuteOf = (atMs: number): string => (isKnown(atMs) ? MINUTES.format(atMs) : UNKNOWN);
