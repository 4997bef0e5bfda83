import { useEffect, useMemo } from 'preact/hooks';
import { Json } from '../parts/code.tsx';
import { Exchange } from '../parts/exchange.tsx';
import { several } from '../parts/format.ts';
import { samplesOf } from '../parts/samples.ts';
import { SampleTabs } from '../parts/tabs.tsx';
import { attempt } from '../parts/text.ts';
import type { LastCall } from '../parts/use-call.ts';

const STAGES = [
  ['The gateway sends a challenge', 'It answers 402 with a fresh nonce to sign.'],
  ['The key of this browser signs', 'The key was created in this browser and cannot be exported.'],
  ['The gateway answers', 'Asset data is free. Each call takes one of the shared budget.'],
] as const;

/** Shown before the first call. */
const INTRODUCTION = (
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

const SEEN = 'signing-seen';
const onPhone = matchMedia('(max-width: 900px)');

/** Whether the steps are open at first: until they were seen once, where there is room for them. Without storage they stay closed. */
const startsOpen = (): boolean => attempt(() => localStorage.getItem(SEEN) === null && !onPhone.matches, false);

const rememberSeen = (): void => attempt(() => localStorage.setItem(SEEN, 'yes'), undefined);

function CallDetails({ lastCall: { call, url, steps, text } }: { readonly lastCall: LastCall }) {
  const isOpen = useMemo(startsOpen, []);
  const ms = steps.reduce((sum, step) => sum + step.ms, 0);
  useEffect(() => {
    if (isOpen) rememberSeen();
  }, []);
  return (
    <>
      <details class="signing" open={isOpen}>
        <summary>
          Signed with this browser's key:{' '}
          <span class="muted">{`${several(steps.length, 'request')}, ${Math.round(ms)} ms`}</span>
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
      <SampleTabs samples={samplesOf({ ...call, surface: 'tokens', url, accessMode: 'siwx', priceUsd: '0' })} />
    </>
  );
}

/** The exchange of the last call, its answer, and the same call in other clients. */
export const LastCallPanel = ({ lastCall }: { readonly lastCall: LastCall | undefined }) => (
  <aside class="last-call panel" aria-label="The last call">
    {lastCall ? <CallDetails lastCall={lastCall} /> : INTRODUCTION}
  </aside>
);
