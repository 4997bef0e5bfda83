import { isNumber, MICROS_PER_USD, UNKNOWN } from '@asset-gateway/protocol';

/** Returns a number with its noun: `1 call`, `3 calls`. */
export const plural = (size: number, noun: string): string => `${size} ${noun}${size === 1 ? '' : 's'}`;

const KIB = 1024;

/** Returns a size as `5.0 MiB`. */
export function bytes(count: number): string {
  if (count < KIB) return `${count} bytes`;
  return count < KIB * KIB ? `${(count / KIB).toFixed(1)} KiB` : `${(count / KIB / KIB).toFixed(1)} MiB`;
}

const DOLLARS = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', maximumFractionDigits: 6 });
const TIME = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });
const MINUTES = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' });
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A figure of the operator's page. It may be unknown. */
type Figure = number | null | undefined;

/** Formats a number. Rates have one decimal from 10 on, none from 100 on. */
export function count(value: Figure): string {
  if (!isNumber(value)) return UNKNOWN;
  const size = Math.abs(value);
  return value.toLocaleString('en-US', { maximumFractionDigits: size < 10 ? 2 : size < 100 ? 1 : 0 });
}

/** Formats millionths of a dollar. */
export const microDollars = (micros: Figure): string =>
  isNumber(micros) ? DOLLARS.format(micros / MICROS_PER_USD) : UNKNOWN;

/** Formats seconds in a readable unit. */
export function duration(seconds: Figure): string {
  if (!isNumber(seconds)) return UNKNOWN;
  if (seconds < 1) return `${Math.round(seconds * 1_000)} ms`;
  if (seconds < 2 * MINUTE) return `${count(seconds < 10 ? seconds : Math.round(seconds))} s`;
  if (seconds < 2 * HOUR) return `${Math.round(seconds / MINUTE)} min`;
  return seconds < 2 * DAY ? `${Math.round(seconds / HOUR)} h` : `${count(Math.round(seconds / DAY))} days`;
}

/** Returns a time of day with seconds. */
export const clock = (atMs: number): string => (isNumber(atMs) ? TIME.format(atMs) : UNKNOWN);

/** Returns a time of day. */
export const minuteOf = (atMs: number): string => (isNumber(atMs) ? MINUTES.format(atMs) : UNKNOWN);
