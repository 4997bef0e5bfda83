import { plain } from '../parts/text.ts';
import { clock, minuteOf, span } from './format.ts';
import type { Alert, Watch } from './use-history.ts';

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
export function Alerts({ watch: { latest, lost } }: { readonly watch: Watch }) {
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
