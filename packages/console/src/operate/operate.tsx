import { useState } from 'preact/hooks';
import './operate.css';
import { plain } from '../parts/text.ts';
import { Alerts } from './alerts.tsx';
import { Charts } from './charts.tsx';
import { clock, span } from './format.ts';
import { SalesPanel } from './sales.tsx';
import { Blocked, BudgetUse, Cache, FeePayer, Payments, Requests, Tiles, Upstreams } from './sections.tsx';
import { storedToken } from './token.tsx';
import { type Totals, useHistory, type Watch } from './use-history.ts';

const PANELS = [
  ['Requests', Requests],
  ['Use of the asset-data budget', BudgetUse],
  ['Fee payer', FeePayer],
  ['Cache', Cache],
  ['Payments', Payments],
  ['Blocked', Blocked],
] as const;

/** The operator's page: what needs attention, charts, then totals and tables. */
export function Operate() {
  const [isPaused, setPaused] = useState(false);
  const [token, setToken] = useState(storedToken);
  const { watch, isStopped } = useHistory(token, isPaused);
  const { latest } = watch;
  return (
    <div class="operate">
      <div class="top">
        <h1>
          Asset gateway <NodeLine watch={watch} />
        </h1>
        <p class="muted small">{latest && `${isPaused ? 'Paused' : 'Updated'} ${clock(latest.at)}`}</p>
        <button type="button" class="quiet" aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
          Pause
        </button>
      </div>
      <Alerts watch={watch} />
      {latest && (
        <>
          <Tiles totals={latest.totals} />
          <Charts watch={watch} />
          <Panels totals={latest.totals} />
        </>
      )}
      <section class="panel" aria-labelledby="sales">
        <h2 id="sales">Sales</h2>
        <SalesPanel token={token} setToken={setToken} isStopped={isStopped} />
      </section>
      <p class="muted small">This page shows one node. The Grafana dashboard in deploy/grafana shows all of them.</p>
    </div>
  );
}

/** Address, uptime and version. */
function NodeLine({ watch: { latest } }: { readonly watch: Watch }) {
  const started = latest && `, up ${span(Math.round((latest.at - latest.startedAt) / 1_000))}`;
  return (
    <span class="muted">
      {location.host}
      {started}
      {latest && `, version ${plain(latest.version)}`}
    </span>
  );
}

function Panels({ totals }: { readonly totals: Totals }) {
  return (
    <>
      <section class="panel">
        <h2>Budget and upstreams</h2>
        <Upstreams totals={totals} />
      </section>
      <div class="panels">
        {PANELS.map(([title, View]) => (
          <section key={title} class="panel">
            <h2>{title}</h2>
            <View totals={totals} />
          </section>
        ))}
      </div>
    </>
  );
}
