import { useEffect, useMemo } from 'preact/hooks';
import { Json } from '../parts/code.tsx';
import { Exchange } from '../parts/exchange.tsx';
import { samplesOf } from '../parts/samples.ts';
import { SampleTabs } from '../parts/tabs.tsx';
import type { LastCall } from '../parts/use-call.ts';
import type { Step } from '../recorder.ts';

const STAGES = [
  ['The gateway sends a challenge', 'It answers 402 with a fresh nonce to sign.'],
  ['The key of this browser signs', 'The key was created in this browser and cannot be exported.'],
  ['The gateway answers', 'Asset data is free. Each call takes one of the shared budget.'],
] as const;

/** Shown before the first call. */
function Introduction() {
  return (
    <>
      <h2>How a call is signed</h2>
      <ol class="exchange">
        {STAGES.map(([title, text]) => (
          <li key={title}>
            <strong>{title}</strong>
            <p class="small muted">{text}</p>
          </li>
        ))}
      </ol>
    </>
  );
}

const SEEN = 'signing-seen';
const onPhone = matchMedia('(max-width: 900px)');

/** Whether the steps are open at first: until they were seen once, where there is room for them. */
function startsOpen(): boolean {
  try {
    return localStorage.getItem(SEEN) === null && !onPhone.matches;
  } catch {
    return false;
  }
}

function rememberSeen(): void {
  try {
    localStorage.setItem(SEEN, 'yes');
  } catch {
    // Without storage the steps stay closed.
  }
}

/** `1 request, 118 ms` */
function costOf(steps: readonly Step[]): string {
  const ms = steps.reduce((sum, step) => sum + step.ms, 0);
  return `${steps.length} ${steps.length === 1 ? 'request' : 'requests'}, ${Math.round(ms)} ms`;
}

function CallDetails({ lastCall: { call, url, steps, text } }: { readonly lastCall: LastCall }) {
  const isOpen = useMemo(startsOpen, []);
  useEffect(() => {
    if (isOpen) rememberSeen();
  }, []);
  return (
    <>
      <details class="signing" open={isOpen}>
        <summary>
          Signed with this browser's key: <span class="muted">{costOf(steps)}</span>
        </summary>
        <Exchange key={url} steps={steps} />
      </details>
      {text !== undefined && (
        <details>
          <summary>The answer as JSON</summary>
          <Json label="Answer" text={text} fileName={`${call.method}.json`} />
        </details>
      )}
      <h2>Make the same call</h2>
      <SampleTabs samples={samplesOf({ ...call, family: 'tokens', url, access: 'siwx', priceUsd: '0' })} />
    </>
  );
}

/** The exchange of the last call, its answer, and the same call in other clients. */
export const LastCallPanel = ({ lastCall }: { readonly lastCall: LastCall | undefined }) => (
  <aside class="last-call panel" aria-label="The last call">
    {lastCall ? <CallDetails lastCall={lastCall} /> : <Introduction />}
  </aside>
);
