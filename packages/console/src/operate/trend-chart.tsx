import { useState } from 'preact/hooks';
import { Table } from './table.tsx';
import { clock, type Point, type Trend } from './trends.ts';

const WIDTH = 100;
const HEIGHT = 28;

interface TrendChartProps {
  readonly trend: Trend;
  /** The index of its value in each point. */
  readonly place: number;
  readonly points: readonly Point[];
}

/** The latest value of a trend, a line since the page was opened, and a table of its values. */
export function TrendChart({ trend: { title, words }, place, points }: TrendChartProps) {
  const [isOpen, setOpen] = useState(false);
  const known = points.flatMap(({ atMs, values }) => {
    const value = values[place];
    return value === undefined ? [] : [{ atMs, value }];
  });
  const most = Math.max(...known.map(({ value }) => value), Number.MIN_VALUE);
  const [first, last] = [points[0]?.atMs ?? 0, points.at(-1)?.atMs ?? 0];
  const line = known.map(
    ({ atMs, value }) =>
      `${((atMs - first) / (last - first || 1)) * WIDTH},${HEIGHT - 1 - (value / most) * (HEIGHT - 2)}`,
  );
  return (
    <div class="tile">
      <h3>{title}</h3>
      <strong>{words(points.at(-1)?.values[place])}</strong>
      <svg aria-hidden="true" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none">
        <polyline points={line.join(' ')} />
      </svg>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          Values<span class="unseen"> of {title}</span>
        </summary>
        {isOpen && (
          <Table
            caption={title}
            head={['at', 'value']}
            rows={[...known].reverse().map(({ atMs, value }) => [clock(atMs), words(value)])}
          />
        )}
      </details>
    </div>
  );
}
