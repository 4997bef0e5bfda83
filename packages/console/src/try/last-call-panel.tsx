import { Code } from '../parts/code.tsx';
import { Exchange } from '../parts/exchange.tsx';
import { Json } from '../parts/json.tsx';
import type { LastCall } from './last-call.ts';
import { samplesOf } from './samples.ts';

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
