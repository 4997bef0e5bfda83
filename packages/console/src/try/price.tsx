import { dollars, roughDollars } from '../parts/format.ts';
import { below } from './calls.ts';
import type { Candle } from './candles.ts';
import { Change } from './figures.tsx';
import { type ChartView, DAY, RANGES, SECONDS } from './ranges.ts';

interface Span {
  readonly title: string;
  readonly low: number;
  readonly high: number;
}

/** The lowest and highest price of the last day, or of the whole chart if a candle is as long as a day. */
function spanOf(candles: readonly Candle[], { range, interval }: ChartView): Span | undefined {
  const last = candles.at(-1);
  if (!last) return undefined;
  const isShort = SECONDS[interval] < DAY;
  const counted = isShort ? candles.filter(({ time }) => time > last.time - DAY) : candles;
  return {
    title: `Range, ${isShort ? '24 hours' : RANGES[range].words}`,
    low: Math.min(...counted.map(({ low }) => low)),
    high: Math.max(...counted.map(({ high }) => high)),
  };
}

const WIDTH = 200;

/** The place of the price between low and high. */
function SpanBar({ span: { low, high }, price }: { readonly span: Span; readonly price: unknown }) {
  const part = typeof price === 'number' && high > low ? (price - low) / (high - low) : 0.5;
  const at = Math.min(1, Math.max(0, part)) * WIDTH;
  return (
    <svg class="span" viewBox={`0 0 ${WIDTH} 10`} preserveAspectRatio="none" aria-hidden="true">
      <rect class="track" y="3" width={WIDTH} height="4" rx="2" />
      <rect class="part" y="3" width={at} height="4" rx="2" />
      <rect class="mark" x={Math.min(at, WIDTH - 3)} width="3" height="10" rx="1" />
    </svg>
  );
}

interface PriceProps {
  readonly stats: unknown;
  readonly candles: readonly Candle[];
  readonly view: ChartView;
}

const FACTS = [
  ['Market cap', 'marketCap'],
  ['Liquidity', 'liquidity'],
  ['Volume, 24 hours', 'volume24hUSD'],
] as const;

/** The head of an asset's page: price, change, range and size. */
export function Price({ stats, candles, view }: PriceProps) {
  const price = below(stats, 'price');
  const span = spanOf(candles, view);
  return (
    <>
      <p class="price">
        <strong>{dollars(price)}</strong> <Change value={below(stats, 'priceChange24hPercent')} since="in 24 hours" />
      </p>
      <dl class="facts">
        {span && (
          <div class="range">
            <dt>{span.title}</dt>
            <dd>
              <span>{dollars(span.low)}</span> <SpanBar span={span} price={price} />{' '}
              <span>
                <span class="unseen">to </span>
                {dollars(span.high)}
              </span>
            </dd>
          </div>
        )}
        {FACTS.map(([title, name]) => (
          <div key={name}>
            <dt>{title}</dt>
            <dd>{roughDollars(below(stats, name))}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
