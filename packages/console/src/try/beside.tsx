import { Code } from '../parts/code.tsx';
import { Exchange } from '../parts/exchange.tsx';
import { Json } from '../parts/json.tsx';
import type { LastCall } from './last-call.ts';
import { samplesOf } from './samples.ts';

const STAGES = [
  ['The gateway asks first', 'It answers 402 with a challenge that nobody has signed before.'],
  ['The key of this tab signs', 'It was made here, cannot be read, and is gone when the tab is closed.'],
  ['The gateway answers', 'Asset data costs nothing but one of the calls that everybody shares.'],
] as const;

/** What is going to be said. */
function Outlook() {
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

function Account({ lastCall: { call, url, steps, text } }: { readonly lastCall: LastCall }) {
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
      <h2>The same call elsewhere</h2>
      {samplesOf(call, url).map(({ title, text: sample, note }) => (
        <div key={title}>
          <Code label={title} text={sample} />
          {note && <p class="small muted note">{note}</p>}
        </div>
      ))}
    </>
  );
}

/** Beside a view: what was said for its last call, the answer, and how others make the same call. */
export const Beside = ({ lastCall }: { readonly lastCall: LastCall | undefined }) => (
  <aside class="beside panel" aria-label="The last call">
    {lastCall ? <Account lastCall={lastCall} /> : <Outlook />}
  </aside>
);
