import { MICROS_PER_USD } from '@asset-gateway/protocol';

const NONE = '—';
/** Numbers outside these bounds use scientific notation. */
const [LEAST, MOST] = [1e-9, 1e15];

const formatWith = (options: Intl.NumberFormatOptions): ((value: number) => string) => {
  const format = new Intl.NumberFormat('en-US', options);
  return (value) => format.format(value);
};
const scientific = formatWith({ notation: 'scientific', maximumSignificantDigits: 4 });
const cents = formatWith({ minimumFractionDigits: 2, maximumFractionDigits: 2 });
const small = formatWith({ maximumSignificantDigits: 4 });
const compact = formatWith({ notation: 'compact', maximumFractionDigits: 1 });

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

function sized(value: number, format: (value: number) => string): string {
  const size = Math.abs(value);
  return size !== 0 && (size < LEAST || size >= MOST) ? scientific(value) : format(value);
}

const withSign = (value: number, text: string): string => `${value < 0 ? '-' : ''}$${text}`;

/** A price in US dollars with significant digits; a dash if it is not a number. */
export function dollars(value: unknown): string {
  if (!isNumber(value)) return NONE;
  const size = Math.abs(value);
  return withSign(value, sized(size, size >= 1 || size === 0 ? cents : small));
}

/** An amount in US dollars as `$1.2M`; a dash if it is not a number. */
export function roughDollars(value: unknown): string {
  return isNumber(value) ? withSign(value, sized(Math.abs(value), compact)) : NONE;
}

/** A number as `1.2M`; a dash if it is not a number. */
export const compactNumber = (value: unknown): string => (isNumber(value) ? sized(value, compact) : NONE);

/** Smaller changes are shown as 0.00. */
const LEAST_CHANGE = 0.005;

/** A change in percent with its sign, and a word for readers who see no colour; undefined if it is not a number. */
export function change(value: unknown) {
  if (!isNumber(value)) return undefined;
  const size = Math.abs(value);
  if (size < LEAST_CHANGE) return { text: '0.00%', word: 'unchanged' } as const;
  const [sign, word] = value > 0 ? (['+', 'up'] as const) : (['−', 'down'] as const);
  return { text: `${sign}${sized(size, cents)}%`, word };
}

/** Unix seconds as `2026-08-03 12:00` in UTC; a dash if they are not a date. */
export function utcMinute(seconds: unknown): string {
  const date = new Date(isNumber(seconds) ? seconds * 1000 : Number.NaN);
  return Number.isNaN(date.getTime()) ? NONE : date.toISOString().slice(0, 16).replace('T', ' ');
}

/** A number with its noun: `1 call`, `3 calls`. */
export const plural = (size: number, noun: string): string => `${size} ${noun}${size === 1 ? '' : 's'}`;

const KIB = 1024;

/** A size as `5.0 MiB`. */
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

/** Shown for unknown figures. */
export const UNKNOWN = '–';

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

/** A time of day with seconds. */
export const clock = (atMs: number): string => (isNumber(atMs) ? TIME.format(atMs) : UNKNOWN);

/** A time of day. */
export const minuteOf = (atMs: number): string => (isNumber(atMs) ? MINUTES.format(atMs) : UNKNOWN);
