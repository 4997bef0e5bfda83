import { concernsOf } from './attention.ts';
import type { Watch } from './use-figures.ts';
import { clock } from './words.ts';

/** What a page says of an alert. */
interface Words {
  readonly isUrgent: boolean;
  readonly means: string;
  readonly advice: string;
}

/** The words are in the page itself, where nothing has to run to hold them. */
function wordsOf(alert: string): Words {
  const words = document
    .querySelector<HTMLTemplateElement>('#alerts')
    ?.content.querySelector<HTMLElement>(`[data-alert=${alert}]`);
  const [means, advice] = [...(words?.children ?? [])].map(({ textContent }) => textContent);
  return { isUrgent: words?.dataset.severity === 'page', means: means ?? '', advice: advice ?? '' };
}

/** What needs attention, in words with what to do; or that nothing does. */
export function Concerns({ watch: { now, before, history, lost, atMs } }: { readonly watch: Watch }) {
  const concerns = now ? concernsOf({ now, before, over: (minutes) => history.over(minutes) }) : [];
  const worded = concerns.map((concern) => ({ ...concern, ...wordsOf(concern.alert) }));
  worded.sort((one, other) => Number(other.isUrgent) - Number(one.isUrgent));
  const isWell = !lost && concerns.length === 0;
  return (
    <div class={`panel concerns ${isWell ? 'well' : ''}`} role="status">
      <h2>{isWell ? verdictOf(now !== undefined, before !== undefined) : 'Needs attention'}</h2>
      <ul>
        {lost && (
          <li key="lost" class="urgent">
            <b>Now:</b> {lost.why} {now && `The figures below are of ${clock(atMs)}. `}
            <br />
            It is asked again by itself. Does its process run, and is its port open to you?
          </li>
        )}
        {worded.map(({ alert, subjects, isUrgent, means, advice }) => (
          <li key={alert} class={isUrgent ? 'urgent' : ''}>
            <b>{isUrgent ? 'Now' : 'Can wait until the morning'}:</b> {means} <code>{subjects.join(', ')}</code>
            <br />
            Do: {advice} <span class="muted small">docs/operating.md, “Alerts”: {alert}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function verdictOf(isSeen: boolean, isSeenTwice: boolean): string {
  if (isSeenTwice) return 'Nothing needs attention';
  return isSeen ? 'Nothing needs attention at first sight; rates follow' : 'Looking …';
}
