interface SparklineProps {
  readonly prices: readonly number[];
}

const [WIDTH, HEIGHT, MARGIN] = [96, 28, 2];

/** The course of a price as a small line. Screen readers skip it; the change beside it says the same. */
export function Sparkline({ prices }: SparklineProps) {
  const [low, high] = [Math.min(...prices), Math.max(...prices)];
  const span = high - low || 1;
  const points = prices.map((price, at) => {
    const x = (at / Math.max(prices.length - 1, 1)) * WIDTH;
    const y = HEIGHT - MARGIN - ((price - low) / span) * (HEIGHT - 2 * MARGIN);
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
  const look = (prices.at(-1) ?? 0) >= (prices[0] ?? 0) ? 'up' : 'down';
  return (
    <svg class={`sparkline ${look}`} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      {prices.length > 1 && <polyline points={points.join(' ')} />}
    </svg>
  );
}
