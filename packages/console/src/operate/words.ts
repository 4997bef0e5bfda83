const NUMBER = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 });
const DOLLARS = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', maximumFractionDigits: 6 });
const TIME = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });
const MICROS_PER_DOLLAR = 1_000_000;
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Shown for unknown values. */
export const UNKNOWN = '–';

export const count = (value: number | undefined): string => (value === undefined ? UNKNOWN : NUMBER.format(value));

/** Formats millionths of a dollar. */
export const dollars = (micros: number | undefined): string =>
  micros === undefined ? UNKNOWN : DOLLARS.format(micros / MICROS_PER_DOLLAR);

/** Formats a fraction. */
export const percent = (fraction: number | undefined): string =>
  fraction === undefined ? UNKNOWN : `${Math.round(fraction * 100)} %`;

/** Formats seconds in a readable unit. */
export function span(seconds: number | undefined): string {
  if (seconds === undefined || !Number.isFinite(seconds)) return UNKNOWN;
  if (seconds < 1) return `${Math.round(seconds * 1_000)} ms`;
  if (seconds < 2 * MINUTE) return `${count(seconds < 10 ? seconds : Math.round(seconds))} s`;
  if (seconds < 2 * HOUR) return `${Math.round(seconds / MINUTE)} min`;
  return seconds < 2 * DAY ? `${Math.round(seconds / HOUR)} h` : `${count(Math.round(seconds / DAY))} days`;
}

export const clock = (atMs: number): string => TIME.format(atMs);
