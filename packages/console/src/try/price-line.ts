/** A drawing's width and height, and the margin above and below its line. */
type Box = readonly [width: number, height: number, margin: number];

/** Prices as a line in a box: its points, its lowest and highest price, and its direction. */
export function priceLineIn(prices: readonly number[], [width, height, margin]: Box) {
  const [least, most] = [Math.min(...prices), Math.max(...prices)];
  // Centres a constant price.
  const room = most > least ? 0 : Math.abs(most) * 1e-3 || 1;
  const [low, high] = [least - room, most + room];
  const points = prices.map((price, at) => {
    const x = (at / Math.max(prices.length - 1, 1)) * width;
    const y = margin + ((high - price) / (high - low)) * (height - 2 * margin);
    return `${x.toFixed(2)},${y.toFixed(2)}`;
  });
  const look = (prices.at(-1) ?? 0) >= (prices[0] ?? 0) ? 'up' : 'down';
  return { points: points.join(' '), low, high, look };
}
