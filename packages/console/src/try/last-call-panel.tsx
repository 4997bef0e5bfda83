import { useEffect } from 'preact/hooks';
import { Code } from '../parts/code.tsx';
import { Exchange } from '../parts/exchange.tsx';
import { Json } from '../parts/json.tsx';
import type { CallState } from '../parts/use-call.ts';
import type { Step } from '../recorder.ts';
import { samplesOf, type TokensCall } from './calls.ts';

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

function CallDetails({ lastCall: { call, url, steps, text } }: { readonly lastCall: LastCall }) {
  return (
    <>
      <h2>How it was signed</h2>
      <Exchange key={url} steps={steps} />
      {text !== undefined && (
        <details>
          <summary>The answer as JSON</summary>
          <Json label="Answer" text={text} fileName={`${call.method}.json`} />
        </details>
      )}
      <h2>The same call in other clients</h2>
      {samplesOf(call, url).map(({ title, text: sample, note }) => (
        <div key={title}>
          <Code label={title} text={sample} />
          {note && <p class="small muted note">{note}</p>}
        </div>
      ))}
    </>
  );
}

/** The exchange of the last call, its answer, and the same call in other clients. */
export const LastCallPanel = ({ lastCall }: { readonly lastCall: LastCall | undefined }) => (
  <aside class="last-call panel" aria-label="The last call">
    {lastCall ? <CallDetails lastCall={lastCall} /> : <Introduction />}
  </aside>
);
