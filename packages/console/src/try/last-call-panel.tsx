import { useEffect, useMemo } from 'preact/hooks';
import { Exchange } from '../parts/exchange.tsx';
import { Json } from '../parts/json.tsx';
import { SampleTabs } from '../parts/sample-tabs.tsx';
import { samplesOf } from '../parts/samples.ts';
import type { CallState } from '../parts/use-call.ts';
import type { Step } from '../recorder.ts';
import type { TokensCall } from './calls.ts';

/** The last call, for the panel that shows it. */
export interface LastCall {
  readonly call: TokensCall;
  readonly url: string;
  readonly steps: readonly Step[];
  /** The body of the answer, if any. */
  readonly text: string | undefined;
}

export type ReportCall = (lastCall: LastCall) => void;

/** A unique key of a call. */
export const keyOf = ({ method, values }: TokensCall): string => JSON.stringify([method, values]);

/** Reports a call after its first answer. */
export function useReportedCall(report: ReportCall, call: TokensCall | undefined, state: CallState<unknown>): void {
  useEffect(() => {
    const steps = 'steps' in state ? state.steps : [];
    const url = steps.at(-1)?.url;
    if (call && url) report({ call, url, steps, text: state.is === 'done' ? state.full.text : undefined });
  }, [state]);
}

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
