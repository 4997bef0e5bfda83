import './operate.css';
import { useState } from 'preact/hooks';
import { plain } from '../parts/text.ts';
import { Charts } from './charts.tsx';
import { clock, minuteOf, span } from './format.ts';
import { SalesPanel } from './sales.tsx';
import { Blocked, BudgetUse, Cache, FeePayer, Payments, Requests, Tiles, Upstreams } from './sections.tsx';
import { storedToken } from './token.tsx';
import { type Alert, type Totals, useHistory, type Watch } from './use-history.ts';

const isUrgent = ({ severity }: Alert): boolean => severity === 'page';

/** Subjects shown of one alert. */
const MOST = 20;

function AlertItem({ alert, nowMs }: { readonly alert: Alert; readonly nowMs: number }) {
  const { means, advice, subjects, since } = alert;
  const named = subjects.filter((subject) => subject !== '').slice(0, MOST);
  return (
    <li class={isUrgent(alert) ? 'urgent' : ''}>
      <p>
        <span class="badge">{isUrgent(alert) ? 'Urgent' : 'In working hours'}</span> <strong>{plain(means)}</strong>{' '}
        <span class="muted">
          since {minuteOf(since)} ({span(Math.ceil((nowMs - since) / 1_000))})
        </span>
      </p>
      {named.length > 0 && (
        <p>
          Affected: <code>{plain(named.join(', '))}</code>
        </p>
      )}
      <p>
        <b>What to do:</b> {plain(advice)}
      </p>
      <p class="muted small">
        Documentation: <code>docs/operating/alerts.md</code>, {plain(alert.alert)}
      </p>
    </li>
  );
}

/** The active alerts with advice, or that nothing needs attention. */
function Alerts({ watch: { latest, lost } }: { readonly watch: Watch }) {
  const alerts = [...(latest?.alerts ?? [])].sort((one, other) => Number(isUrgent(other)) - Number(isUrgent(one)));
  const isWell = !lost && alerts.length === 0;
  return (
    <section class={`panel alerts ${isWell ? 'well' : ''}`} aria-labelledby="attention">
      <h2 id="attention" aria-live="polite">
        {isWell ? (latest ? 'Nothing needs attention' : 'Loading …') : 'Needs attention'}
      </h2>
      {!isWell && (
        <ul>
          {lost && (
            <li class="urgent">
              <p>
                <span class="badge">Urgent</span> <strong>{lost.why}</strong>{' '}
                <span class="muted">since {clock(lost.sinceMs)}</span>
              </p>
              <p>
                {latest && `The figures below are from ${clock(latest.at)}. `}This page keeps trying. Check that the
                process runs and that you can reach its port.
              </p>
            </li>
          )}
          {latest && alerts.map((alert) => <AlertItem key={alert.alert} alert={alert} nowMs={latest.at} />)}
        </ul>
      )}
    </section>
  );
}

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
