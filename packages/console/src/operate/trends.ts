import { rough } from '../parts/format.ts';
import { type Figures, feeOf } from './figures.ts';
import type { Growth } from './history.ts';

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
const percent = (fraction: number | undefined): string =>
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

/** A number drawn over time. */
export interface Trend {
  readonly title: string;
  /** Computes it from the latest figures and their growth since the last scrape; undefined if unknown. */
  readonly read: (now: Figures, step: Growth | undefined) => number | undefined;
  readonly words: (value: number | undefined) => string;
}

/** The values of all trends at one time. */
export interface Point {
  readonly atMs: number;
  readonly values: readonly (number | undefined)[];
}

/** Cache results that took no upstream call. */
const CACHED = /^(?:hit|stale|collapsed)$/;
const FAILED = /^(?:429|5)/;

const perSecond =
  (status: RegExp): Trend['read'] =>
  (_, step) =>
    step && (step.figures.sum('requests_total', { status }) ?? 0) / step.seconds;

export const TRENDS: readonly Trend[] = [
  { title: 'Requests per second', read: perSecond(/./), words: count },
  { title: '429 and 5xx', read: perSecond(FAILED), words: count },
  {
    title: 'Asset-data budget left',
    read: (now) => now.sum('budget_left', { surface: 'tokens' }),
    words: count,
  },
  {
    title: 'Cache hit rate',
    read(_, step) {
      const all = step?.figures.sum('cache_answers_total') ?? 0;
      return all > 0 ? (step?.figures.sum('cache_answers_total', { result: CACHED }) ?? 0) / all : undefined;
    },
    words: percent,
  },
  { title: 'Unresolved payments', read: (now) => now.sum('settlements_open'), words: count },
  {
    title: 'Settlements left (fee payer balance)',
    read(now) {
      const lamports = now.sum('fee_payer_lamports', { cluster: 'mainnet' });
      return lamports && Math.floor(lamports / feeOf(now));
    },
    words: rough,
  },
];
