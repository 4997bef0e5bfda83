import { rough } from '../parts/format.ts';
import { feeOf } from './fee.ts';
import type { Figures } from './figures.ts';
import type { Growth } from './history.ts';
import { count, percent } from './words.ts';

/** A number that is drawn over time. */
export interface Trend {
  readonly title: string;
  /** From how things are, and what was added since the look before; nothing where that does not tell. */
  readonly read: (now: Figures, step: Growth | undefined) => number | undefined;
  readonly words: (value: number | undefined) => string;
}

/** What was drawn at a moment, trend by trend. */
export interface Point {
  readonly atMs: number;
  readonly values: readonly (number | undefined)[];
}

/** What the cache had no call of its own for. */
const KEPT = /^(?:hit|stale|collapsed)$/;
const FAILED = /^(?:429|5)/;

const aSecond =
  (status: RegExp): Trend['read'] =>
  (_, step) =>
    step && (step.figures.sum('requests_total', { status }) ?? 0) / step.seconds;

export const TRENDS: readonly Trend[] = [
  { title: 'Requests a second', read: aSecond(/./), words: count },
  { title: 'Of them 429 and 5xx', read: aSecond(FAILED), words: count },
  {
    title: 'Asset-data budget left',
    read: (now) => now.sum('budget_left', { surface: 'tokens' }),
    words: count,
  },
  {
    title: 'Answered by the cache',
    read(_, step) {
      const all = step?.figures.sum('cache_answers_total') ?? 0;
      return all > 0 ? (step?.figures.sum('cache_answers_total', { result: KEPT }) ?? 0) / all : undefined;
    },
    words: percent,
  },
  { title: 'Payments not resolved', read: (now) => now.sum('settlements_open'), words: count },
  {
    title: 'Settlements that SOL is left for',
    read(now) {
      const lamports = now.sum('fee_payer_lamports', { cluster: 'mainnet' });
      return lamports && Math.floor(lamports / feeOf(now));
    },
    words: rough,
  },
];
