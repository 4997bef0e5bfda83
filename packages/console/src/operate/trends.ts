import { rough } from '../parts/format.ts';
import { feeOf } from './fee.ts';
import type { Figures } from './figures.ts';
import type { Growth } from './history.ts';
import { count, percent } from './words.ts';

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
