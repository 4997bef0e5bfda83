import { concernsOf } from './rules.ts';
import { clock } from './trends.ts';
import type { Watch } from './use-figures.ts';

interface AlertText {
  readonly isUrgent: boolean;
  readonly means: string;
  readonly advice: string;
}

/** Reads the text of an alert from the page's template. */
function textOf(alert: string): AlertText {
  const item = document
    .querySelector<HTMLTemplateElement>('#alerts')
    ?.content.querySelector<HTMLElement>(`[data-alert=${alert}]`);
  const [means, advice] = [...(item?.children ?? [])].map(({ textContent }) => textContent);
  return { isUrgent: item?.dataset.severity === 'page', means: means ?? '', advice: advice ?? '' };
}

/** The active alerts with advice, or that there are none. */
export function Concerns({ watch: { now, before, history, lost, atMs } }: { readonly watch: Watch }) {
  const concerns = now ? concernsOf({ now, before, over: (minutes) => history.over(minutes) }) : [];
  const alerts = concerns.map((concern) => ({ ...concern, ...textOf(concern.alert) }));
  alerts.sort((one, other) => Number(other.isUrgent) - Number(one.isUrgent));
  const isWell = !lost && concerns.length === 0;
  return (
    <div class={`panel concerns ${isWell ? 'well' : ''}`} role="status">
      <h2>{isWell ? verdictOf(now !== undefined, before !== undefined) : 'Active alerts'}</h2>
      <ul>
        {lost && (
          <li key="lost" class="urgent">
            <b>Urgent:</b> {lost.why} {now && `The figures below are from ${clock(atMs)}. `}
            <br />
            This page keeps trying. Is the process running, and can you reach its port?
          </li>
        )}
        {alerts.map(({ alert, subjects, isUrgent, means, advice }) => (
          <li key={alert} class={isUrgent ? 'urgent' : ''}>
            <b>{isUrgent ? 'Urgent' : 'Not urgent'}:</b> {means} <code>{subjects.join(', ')}</code>
            <br />
            What to do: {advice} <span class="muted small">docs/operating/alerts.md: {alert}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function verdictOf(isLoaded: boolean, hasRates: boolean): string {
  if (hasRates) return 'No active alerts';
  return isLoaded ? 'No active alerts so far; rates follow' : 'Loading …';
}
