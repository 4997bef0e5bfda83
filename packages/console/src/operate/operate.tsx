import { useState } from 'preact/hooks';
import './operate.css';
import { Concerns } from './concerns.tsx';
import { SalesPanel } from './sales.tsx';
import { Blocked, BudgetUse, Cache, FeePayer, Payments, Requests, Upstreams } from './sections.tsx';
import { TrendChart } from './trend-chart.tsx';
import { clock, span, TRENDS } from './trends.ts';
import { EVERY_MS, useFigures, type Watch } from './use-figures.ts';

const RECENT_MINUTES = 5;

/** The operator's page: active alerts, then the figures. */
export function Operate() {
  const [isPaused, setPaused] = useState(false);
  const { watch, isStopped } = useFigures(isPaused);
  return (
    <div class="operate">
      <div class="top">
        <h1>
          Operate <span class="muted">{location.host}</span>
        </h1>
        <p>
          <LastUpdate watch={watch} isPaused={isPaused} />
        </p>
        <button type="button" aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
          Pause
        </button>
      </div>
      <Concerns watch={watch} />
      {watch.now && <Panels watch={watch} />}
      <section class="panel" aria-labelledby="sales">
        <h2 id="sales">Sales</h2>
        <SalesPanel isStopped={isStopped} />
      </section>
    </div>
  );
}

/** When the figures were read, and the uptime. */
function LastUpdate({ watch: { atMs, now, lost }, isPaused }: { readonly watch: Watch; readonly isPaused: boolean }) {
  const startedAt = now?.sum('process_start_time_seconds');
  return (
    <>
      {atMs > 0 && (
        <>
          Updated <time>{clock(atMs)}</time>
          {lost
            ? `, no answer since ${clock(lost.sinceMs)}`
            : isPaused
              ? ', paused'
              : `, every ${span(EVERY_MS / 1_000)}`}
        </>
      )}
      {startedAt && <span class="muted">, up {span(atMs / 1_000 - startedAt)}</span>}
    </>
  );
}

function Panels({ watch: { now, history, points } }: { readonly watch: Watch }) {
  if (!now) return null;
  const shown = { now, recent: history.over(RECENT_MINUTES) };
  const panels = [
    ['Requests', <Requests key="requests" {...shown} />],
    ['Use of the asset-data budget', <BudgetUse key="budget" {...shown} />],
    ['Fee payer', <FeePayer key="fees" {...shown} />],
    ['Cache', <Cache key="cache" {...shown} />],
    ['Payments', <Payments key="payments" {...shown} />],
    ['Blocked', <Blocked key="blocked" {...shown} />],
  ] as const;
  return (
    <>
      <section class="tiles" aria-label="Now">
        <h2 class="unseen">Now</h2>
        {TRENDS.map((trend, place) => (
          <TrendChart key={trend.title} trend={trend} place={place} points={points} />
        ))}
      </section>
      <p class="muted small">
        “Recent” and “per minute” cover the last {RECENT_MINUTES} minutes, or the time since you opened this page. The
        page shows one node; the Grafana dashboard shows all of them (docs/operating/alerts.md).
      </p>
      <section class="panel">
        <h2>Budget and upstreams</h2>
        <Upstreams {...shown} />
      </section>
      <div class="panels">
        {panels.map(([title, view]) => (
          <section key={title} class="panel">
            <h2>{title}</h2>
            {view}
          </section>
        ))}
      </div>
    </>
  );
}
