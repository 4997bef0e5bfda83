import { rough } from '../parts/format.ts';
import { count, dollars, span } from './format.ts';

/** A chart: its lines are columns of the history. */
export interface Chart {
  readonly title: string;
  readonly lines: readonly (readonly [name: string, column: string])[];
  readonly words: (value: number | null | undefined) => string;
  /** Default: `words`. */
  readonly axis?: (value: number) => string;
}

/** All charts, in the order of the page. */
export const CHARTS: readonly Chart[] = [
  {
    title: 'Requests per minute',
    lines: [
      ['2xx, 3xx', 'ok'],
      ['402', 'challenges'],
      ['other 4xx', 'clientErrors'],
      ['429', 'tooMany'],
      ['5xx', 'serverErrors'],
    ],
    words: count,
    axis: rough,
  },
  {
    title: 'Latency',
    lines: [
      ['p50', 'p50'],
      ['p99', 'p99'],
    ],
    words: span,
  },
  {
    title: 'Asset-data budget',
    lines: [
      ['left', 'budgetLeft'],
      ['limit', 'budgetLimit'],
    ],
    words: count,
    axis: rough,
  },
  {
    title: 'Cache answers per minute',
    lines: [
      ['hits', 'cacheHits'],
      ['misses', 'cacheMisses'],
    ],
    words: count,
    axis: rough,
  },
  {
    title: 'Upstream calls per minute',
    lines: [
      ['asset data', 'dataCalls'],
      ['Solana data', 'chainCalls'],
      ['own APIs', 'apiCalls'],
    ],
    words: count,
    axis: rough,
  },
  {
    title: 'Refusals per minute',
    lines: [
      ['rate limit', 'budgetRefusals'],
      ['failed sign-ins', 'failedSignIns'],
      ['blocked', 'blocked'],
      ['unavailable', 'unavailable'],
    ],
    words: count,
    axis: rough,
  },
  { title: 'Event loop delay, p99', lines: [['delay', 'loopDelay']], words: span },
  {
    title: 'Sales per minute, mainnet',
    lines: [
      ['settled', 'settled'],
      ['spent from credit', 'spent'],
    ],
    words: dollars,
  },
];
