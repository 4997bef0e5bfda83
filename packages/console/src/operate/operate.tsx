import { clock, duration, minuteOf } from '../parts/format.ts';
import './operate.css';
import { useState } from 'preact/hooks';
import { Button } from '../parts/button.tsx';
import { plain } from '../parts/text.ts';
import { mount, Shell } from '../shell.tsx';
import { Charts } from './charts.tsx';
import { DOCUMENTS, documentOf } from './documents.ts';
import { SalesPanel } from './sales.tsx';
import { Blocked, BudgetUse, Cache, FeePayer, Payments, Requests, Tiles, Upstreams } from './sections.tsx';
import { storedToken } from './token.tsx';
import { type Alert, type Totals, useHistory, type Watch } from './use-history.ts';

const isUrgent = ({ severity }: Alert): boolean => severity === 'page';

/** The most subjects shown for an alert. */
const MOST = 20;

/** The first line of an alert. */
const Headline = ({ isUrgent, means, since }: { isUrgent: boolean; means: string; since: string }) => (
  <p>
    <span class="badge">{isUrgent ? 'Urgent' : 'In working hours'}</span> <strong>{means}</strong>{' '}
    <span class="muted">since {since}</span>
  </p>
);

function AlertItem({ alert, nowMs }: { readonly alert: Alert; readonly nowMs: number }) {
  const { means, advice, subjects, since } = alert;
  const named = subjects.filter((subject) => subject !== '').slice(0, MOST);
  const sinceWhen = `${minuteOf(since)} (${duration(Math.ceil((nowMs - since) / 1_000))})`;
  return (
    <li class={isUrgent(alert) ? 'urgent' : ''}>
      <Headline isUrgent={isUrgent(alert)} means={plain(means)} since={sinceWhen} />
      {named.length > 0 && (
        <p>
          Affected: <code>{plain(named.join(', '))}</code>
        </p>
      )}
      <p>
        <b>What to do:</b> {plain(advice)}
      </p>
      <p class="small">
        <a href={documentOf(plain(alert.alert))}>Documentation of {plain(alert.alert)}</a>
      </p>
    </li>
  );
}

/** The active alerts with advice, or a note that nothing needs attention. */
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
              <Headline isUrgent means={lost.why} since={clock(lost.sinceMs)} />
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

/** What this page omits, and where to read it. */
const Documents = () => (
  <p class="muted small">
    This page shows one node. The Grafana dashboard in deploy/grafana shows all of them. Documentation:{' '}
    {Object.entries(DOCUMENTS).map(([title, href], at) => (
      <span key={title}>
        {at > 0 && ', '}
        <a href={href}>{title}</a>
      </span>
    ))}
    .
  </p>
);

/** The operator's page: alerts, charts, then totals and tables. */
function Operate() {
  const [isPaused, setPaused] = useState(false);
  const [token, setToken] = useState(storedToken);
  const { watch, isStopped } = useHistory(token, isPaused);
  const { latest } = watch;
  return (
    <div class="operate">
      <div class="row top">
        <h1>
          Operate{' '}
          <span class="muted">
            {location.host}
            {latest && `, up ${duration(Math.round((latest.at - latest.startedAt) / 1_000))}`}
            {latest && `, version ${plain(latest.version)}`}
          </span>
        </h1>
        <p class="muted small">{latest && `${isPaused ? 'Paused' : 'Updated'} ${clock(latest.at)}`}</p>
        <Button class="quiet" aria-pressed={isPaused} label="Pause" onClick={() => setPaused(!isPaused)} />
      </div>
      <Alerts watch={watch} />
      {latest && (
        <>
          <Tiles {...latest.totals} />
          <Charts watch={watch} />
          <Panels {...latest.totals} />
        </>
      )}
      <section class="panel" aria-labelledby="sales">
        <h2 id="sales">Sales</h2>
        <SalesPanel token={token} setToken={setToken} isStopped={isStopped} />
      </section>
      <Documents />
    </div>
  );
}

const Panels = (totals: Totals) => (
  <>
    <section class="panel">
      <h2>Budget and upstreams</h2>
      <Upstreams {...totals} />
    </section>
    <div class="panels">
      {PANELS.map(([title, View]) => (
        <section key={title} class="panel">
          <h2>{title}</h2>
          <View {...totals} />
        </section>
      ))}
    </div>
  </>
);

mount(
  <Shell
    title="Asset gateway"
    views={[{ name: 'operate', title: 'Operate', show: () => <Operate /> }]}
    viewPath={{ view: 'operate', rest: [], query: '' }}
  />,
);
