import { compactFigure } from '@asset-gateway/protocol';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { AlignedData } from 'uplot';
import { Button } from '../parts/button.tsx';
import { count, duration, microDollars, minuteOf } from '../parts/format.ts';
import { useReloadable } from '../parts/hooks.ts';
import table from './charts.json' with { type: 'json' };
import type { Plot } from './plot.ts';
import type { HistoryRow, Totals, Watch } from './use-history.ts';

/** A chart of the table. Its lines are history columns with titles. It may belong to a part that can be off. */
type Chart = Omit<(typeof table)[number], 'part'> & { readonly part?: string };

/** How to write a chart's figures and those of its axis. */
const WORDS: Readonly<Record<string, typeof count>> = { count, dollars: microDollars, span: duration };
const axisOf = ({ words }: Chart) => (words === 'count' ? compactFigure : (WORDS[words] ?? count));

/** Lines differ by dashes as well as by colour. */
const DASHES: readonly (readonly number[])[] = [[], [7, 4], [2, 3], [10, 3, 2, 3], [4, 2]];
const RANGES = [
  ['15 min', 15],
  ['1 h', 60],
  ['6 h', 360],
  ['24 h', 1_440],
] as const;
const MINUTE = 60;

/** The last minutes of the history, and the marked one: under the pointer, or chosen. */
function useMinutes(watch: Watch) {
  const [minutes, setMinutes] = useState<number>(RANGES[0][1]);
  const [pointed, onPointer] = useState<number>();
  // A time, so that the mark stays at its minute when rows are added.
  const [chosen, choose] = useState<number>();
  const rows = watch.rows.slice(-minutes);
  const skipped = watch.rows.length - rows.length;
  const times = rows.map((_, index) => Math.round(watch.timeOf(skipped + index) / 1_000));
  const chosenIndex = times.findIndex((time) => Math.abs(time - (chosen ?? 0)) < MINUTE / 2);
  const marked = pointed ?? (chosenIndex < 0 ? undefined : chosenIndex);
  return { minutes, setMinutes, rows, times, marked, onPointer, chosen, choose };
}

type Minutes = ReturnType<typeof useMinutes>;
type PanelProps = Minutes & { readonly chart: Chart; readonly values: readonly HistoryRow[] };

/** Why a chart would be empty; undefined if it is not. */
function emptiness(values: readonly HistoryRow[]): string | undefined {
  const known = values.flat().filter((value) => value !== null);
  if (known.length === 0) return 'No data yet.';
  return known.some((value) => value !== 0) ? undefined : 'None in this period.';
}

/** Loads the chart library on first use, then keeps one plot in an element. */
function usePlot({ chart, times, values, minutes, marked, onPointer }: PanelProps) {
  const figure = useRef<HTMLElement>(null);
  const { value: library } = useReloadable(() => import('./plot.ts'), []);
  const [plot, setPlot] = useState<Plot>();
  useEffect(() => {
    if (!library || !figure.current) return undefined;
    const dashes = chart.lines.map((_, at) => DASHES[at] ?? []);
    const look = { dashes, words: axisOf(chart), isWhole: chart.words === 'count' };
    const drawn = library.chartIn(figure.current, look, onPointer);
    setPlot(drawn);
    return drawn.remove;
  }, [library]);
  const last = times.at(-1) ?? Math.floor(Date.now() / 60_000) * MINUTE;
  useEffect(
    () => plot?.show([[...times], ...values] as AlignedData, last - minutes * MINUTE, last),
    [plot, last, minutes, times.length],
  );
  useEffect(() => plot?.mark(marked), [plot, marked, last, minutes]);
  return figure;
}

/** A chart, or one line if the chart would be empty. */
function Panel(props: PanelProps) {
  const { chart, values } = props;
  const why = emptiness(values);
  if (why === undefined) return <Drawn {...props} />;
  return (
    <section class="chart panel" aria-label={chart.title}>
      <h3>{chart.title}</h3>
      <p class="muted none">{why}</p>
    </section>
  );
}

function Drawn(props: PanelProps) {
  const { chart, values, times, marked, choose } = props;
  const figure = usePlot(props);
  return (
    <figure class="chart panel" ref={figure}>
      <h3>{chart.title}</h3>
      <span class="grid-colour" />
      <div class="plot" aria-hidden="true" onClick={() => choose(times[marked ?? times.length - 1])} />
      <ul class="row legend small tabular">
        {chart.lines.map(([name], at) => (
          <li key={name}>
            <svg class="key" style={{ color: `var(--series-${at + 1})` }} aria-hidden="true" viewBox="0 0 24 6">
              <line x1="0" y1="3" x2="24" y2="3" stroke-dasharray={(DASHES[at] ?? []).join(' ')} />
            </svg>
            <span class="muted">{name}</span>{' '}
            <b>{WORDS[chart.words]?.(values[at]?.[marked ?? values[at].length - 1])}</b>
          </li>
        ))}
      </ul>
    </figure>
  );
}

/** The slider that chooses a minute, and the minute that the charts show. */
function Moment({ times, marked, chosen, choose }: Minutes) {
  const shownAt = marked ?? times.length - 1;
  const time = minuteOf((times[shownAt] ?? 0) * 1_000);
  return (
    <>
      <input
        type="range"
        aria-label="Moment"
        aria-valuetext={time}
        min={0}
        max={times.length - 1}
        value={shownAt}
        onInput={({ currentTarget }) => choose(times[Number(currentTarget.value)])}
      />
      <output>
        {marked === undefined ? 'Latest minute' : 'Minute to'} <strong>{time}</strong>
      </output>
      <Button class="quiet" disabled={chosen === undefined} label="Show latest" onClick={() => choose(undefined)} />
    </>
  );
}

/** The charts of a range: one per subject that the gateway has columns for. One moment is marked on all. */
export function Charts({ watch }: { readonly watch: Watch }) {
  const shown = useMinutes(watch);
  const { minutes, setMinutes, rows } = shown;
  const columns = watch.latest?.columns ?? [];
  const valuesOf = (column = '') => rows.map((row) => row[columns.indexOf(column)] ?? null);
  const { totals } = watch.latest ?? {};
  const isOn = ({ part }: Chart) => part === undefined || totals?.[part as keyof Totals] !== undefined;
  const charts = table.filter((chart: Chart) => columns.includes(chart.lines[0]?.[1] ?? '') && isOn(chart));
  return (
    <section aria-label="Last 24 hours">
      <div class="row moment">
        <fieldset class="segments" aria-label="Range">
          {RANGES.map(([title, each]) => (
            <Button key={title} aria-pressed={each === minutes} label={title} onClick={() => setMinutes(each)} />
          ))}
        </fieldset>
        {rows.length > 0 && <Moment {...shown} />}
      </div>
      {rows.length === 0 ? (
        <p class="panel muted">No data yet: the charts start with the first full minute of the gateway.</p>
      ) : (
        <div class="charts">
          {charts.map((chart) => (
            <Panel key={chart.title} chart={chart} values={chart.lines.map(([, name]) => valuesOf(name))} {...shown} />
          ))}
        </div>
      )}
    </section>
  );
}
