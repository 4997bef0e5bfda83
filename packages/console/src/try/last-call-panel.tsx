import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../parts/button.tsx';
import { Json } from '../parts/code.tsx';
import { Exchange } from '../parts/exchange.tsx';
import { plural } from '../parts/format.ts';
import { samplesOf } from '../parts/samples.ts';
import { SampleTabs } from '../parts/tabs.tsx';
import type { LastCall } from '../parts/use-call.ts';

/** A call's exchange, its answer, and the same call in other clients. */
const CallDetails = ({ lastCall: { call, url, steps, text } }: { readonly lastCall: LastCall }) => (
  <>
    <Exchange key={url} steps={steps} />
    {text !== undefined && (
      <details>
        <summary>The answer as JSON</summary>
        <Json label="Answer" text={text} fileName={`${call.method}.json`} />
      </details>
    )}
    <h3>Make the same call</h3>
    <SampleTabs samples={samplesOf({ ...call, surface: 'tokens', url, accessMode: 'siwx', priceUsd: '0' })} />
  </>
);

/** How the last call was signed, in one line. Its button opens the exchange in a drawer. Escape closes it. */
export function LastCallPanel({ lastCall }: { readonly lastCall: LastCall }) {
  const drawer = useRef<HTMLDialogElement>(null);
  const [isOpen, setOpen] = useState(false);
  const ms = Math.round(lastCall.steps.reduce((sum, step) => sum + step.ms, 0));
  useEffect(() => {
    if (isOpen) drawer.current?.showModal();
  }, [isOpen]);
  const close = (): void => drawer.current?.close();
  return (
    <>
      <button type="button" class="quiet signed" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        How it was signed <span class="muted tabular">{`${plural(lastCall.steps.length, 'request')}, ${ms} ms`}</span>
      </button>
      {isOpen && (
        <dialog
          ref={drawer}
          class="drawer"
          aria-labelledby="last-call"
          onClose={() => setOpen(false)}
          // A press outside closes it.
          {...{ closedby: 'any' }}
        >
          <div class="row head">
            <h2 id="last-call">How the last call was signed</h2>
            <Button class="quiet" label="Close" onClick={close} />
          </div>
          <div class="body">
            <CallDetails lastCall={lastCall} />
          </div>
        </dialog>
      )}
    </>
  );
}
