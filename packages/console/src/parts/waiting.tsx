import { useEffect, useState } from 'preact/hooks';
import type { Recorder } from '../recorder.ts';
import { Failure } from './failure.tsx';
import type { Called } from './use-call.ts';

const seconds = (until: number): number => Math.max(0, Math.ceil((until - performance.now()) / 1000));

/** Until when something waits, and how long that is still. */
function Pause({ until, error }: { readonly until: number; readonly error: unknown }) {
  const [left, setLeft] = useState(seconds(until));
  useEffect(() => {
    setLeft(seconds(until));
    const timer = setInterval(() => setLeft(seconds(until)), 1000);
    return () => clearInterval(timer);
  }, [until]);
  const at = new Date(Date.now() + until - performance.now()).toLocaleTimeString('en-GB');
  return (
    <div class="pause">
      {error !== undefined && <p>{(error as Error).message}</p>}
      <p>
        {error === undefined && 'All calls of this minute are used up; everybody shares them. '}
        This goes on by itself at {at}.
      </p>
      <p class="small muted" aria-hidden="true">
        {left} s
      </p>
    </div>
  );
}

interface TroubleProps {
  readonly called: Called<unknown>;
  readonly again: () => void;
}

/** What keeps a call from its answer: a wait that ends by itself, or a failure after which one may try again. */
export function Trouble({ called, again }: TroubleProps) {
  // It is always there: what comes into it later is read out.
  return (
    <div aria-live="polite">
      {called.is === 'paused' && <Pause until={called.until} error={called.error} />}
      {called.is === 'failed' && (
        <>
          <Failure error={called.error} />
          <button type="button" onClick={again}>
            Try again
          </button>
        </>
      )}
    </div>
  );
}

/** What is left of the calls that everybody shares. */
export function BudgetLeft({ recorder }: { readonly recorder: Recorder }) {
  const [budget, setBudget] = useState(recorder.budget);
  useEffect(() => recorder.listen(() => setBudget(recorder.budget)), [recorder]);
  if (!budget) return null;
  return (
    <p class="small muted budget">
      <meter min={0} max={budget.limit} value={budget.left} aria-label="Calls left" /> {budget.left} of {budget.limit}{' '}
      calls left in this minute, shared by everybody
    </p>
  );
}
