import { below, priceFigure } from '@asset-gateway/protocol';
import { hrefOf } from '../router.ts';
import { courseOf } from './calls.ts';
import { type Candle, candlesIn, periodOf, RANGES } from './candles.ts';
import { Change } from './figures.tsx';
import { Loaded } from './loaded.tsx';
import { priceLineIn } from './price-line.ts';

const [WIDTH, HEIGHT, MARGIN] = [100, 100, 6];
const LABELS = 4;

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const dayOf = ({ time }: Candle): string => DAY.format(time * 1000);

/** A period's closing prices as a line, with bounds and days. Screen readers read the words beside it. */
function PriceLine({ candles }: { readonly candles: readonly Candle[] }) {
  const closes = candles.map(({ close }) => close);
  const { points, low, high, look } = priceLineIn(closes, [WIDTH, HEIGHT, MARGIN]);
  const days = Array.from({ length: LABELS }, (_, at) => {
    const candle = candles[Math.round((at / (LABELS - 1)) * (candles.length - 1))];
    return candle ? dayOf(candle) : '';
  });
  return (
    <div class={`price-line ${look}`} aria-hidden="true">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        <path class="grid" d={`M0 ${MARGIN}H100M0 50H100M0 ${HEIGHT - MARGIN}H100`} />
        <polygon points={`0,${HEIGHT} ${points} ${WIDTH},${HEIGHT}`} />
        <polyline points={points} />
      </svg>
      <ul class="prices small muted tabular">
        {[high, (high + low) / 2, low].map((price, at) => (
          <li key={at}>{priceFigure(price)}</li>
        ))}
      </ul>
      <ul class="days small muted">
        {days.map((day, at) => (
          <li key={at}>{day}</li>
        ))}
      </ul>
    </div>
  );
}

const ASSET = { id: 'solana', name: 'Solana', symbol: 'SOL' };
const WORDS = RANGES['7D'].words;

/** An asset's price, its change in the period, and its course. */
function Course({ result }: { readonly result: unknown }) {
  const candles = candlesIn(below(result, 'candles'));
  const period = periodOf(candles);
  if (!period) return <p class="muted">There are no prices at the moment.</p>;
  return (
    <>
      <p class="price tabular">
        <strong>{priceFigure(period.last)}</strong> <Change value={period.changePercent} since={`in ${WORDS}`} />
      </p>
      <PriceLine candles={candles.drawn} />
    </>
  );
}

/** One chart on the first view. It takes one call. */
export const Featured = () => (
  <section class="panel featured" aria-label={ASSET.name}>
    <div class="row head">
      <h2>
        {ASSET.name} <span class="muted">{ASSET.symbol}</span>
      </h2>
      <a class="small" href={hrefOf('try', ASSET.id)}>
        Candles, markets, risk
      </a>
    </div>
    <Loaded
      call={courseOf(ASSET.id)}
      what="the chart"
      placeholder={<div class="placeholder course" aria-hidden="true" />}
      show={(result) => <Course result={result} />}
    />
  </section>
);
