import { dollars } from '../parts/format.ts';
import type { Candle } from './candles.ts';

const [WIDTH, HEIGHT, MARGIN] = [100, 100, 6];
const LABELS = 4;

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const dayOf = ({ time }: Candle): string => DAY.format(time * 1000);

/** The lowest and the highest close, apart even if the price is constant. */
function boundsOf(candles: readonly Candle[]): readonly [number, number] {
  const closes = candles.map(({ close }) => close);
  const [low, high] = [Math.min(...closes), Math.max(...closes)];
  const room = high > low ? 0 : Math.abs(high) * 1e-3 || 1;
  return [low - room, high + room];
}

/** The closing prices of a period as a line, with their bounds and days. Screen readers read the words beside it. */
export function PriceLine({ candles }: { readonly candles: readonly Candle[] }) {
  const [low, high] = boundsOf(candles);
  const points = candles.map(({ close }, at) => {
    const x = (at / Math.max(candles.length - 1, 1)) * WIDTH;
    const y = MARGIN + ((high - close) / (high - low)) * (HEIGHT - 2 * MARGIN);
    return `${x.toFixed(2)},${y.toFixed(2)}`;
  });
  const look = (candles.at(-1)?.close ?? 0) >= (candles[0]?.close ?? 0) ? 'up' : 'down';
  const days = Array.from({ length: LABELS }, (_, at) => {
    const candle = candles[Math.round((at / (LABELS - 1)) * (candles.length - 1))];
    return candle ? dayOf(candle) : '';
  });
  return (
    <div class={`price-line ${look}`} aria-hidden="true">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        <path class="grid" d={`M0 ${MARGIN}H100M0 50H100M0 ${HEIGHT - MARGIN}H100`} />
        <polygon points={`0,${HEIGHT} ${points.join(' ')} ${WIDTH},${HEIGHT}`} />
        <polyline points={points.join(' ')} />
      </svg>
      <ul class="prices small muted tabular">
        {[high, (high + low) / 2, low].map((price, at) => (
          <li key={at}>{dollars(price)}</li>
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
