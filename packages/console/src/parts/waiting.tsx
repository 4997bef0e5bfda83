import { GatewayError } from '@asset-gateway/client';
import { useEffect, useState } from 'preact/hooks';
import { session } from '../session.ts';
import { Button } from './button.tsx';
import { isUnreachable } from './connectivity.ts';
import { Failure } from './failure.tsx';
import { useShown } from './hooks.ts';
import type { CallState } from './use-call.ts';

const seconds = (until: number): number => Math.max(0, Math.ceil((until - performance.now()) / 1000));

/** Counts down to the retry. */
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
        {error === undefined && 'All calls of this minute are used up; all users share them. '}
        It continues automatically at {at}.
      </p>
      <p class="small muted" aria-hidden="true">
        {left} s
      </p>
    </div>
  );
}

/** Whether another try would get the same answer, because the requested thing does not exist. */
const isMissing = (error: unknown): boolean => error instanceof GatewayError && error.status === 404;

/**
 * A pause that ends by itself, or an error with a retry button if that can help. If the gateway does not answer, the banner has the
 * button.
 */
export const Trouble = ({ state, retry }: { readonly state: CallState; readonly retry: () => void }) => (
  // Always rendered, so that screen readers announce changes.
  <div aria-live="polite">
    {state.is === 'paused' && <Pause until={state.until} error={state.error} />}
    {state.is === 'failed' && !isUnreachable(state.error) && (
      <>
        <Failure error={state.error} />
        {!isMissing(state.error) && <Button label="Retry" onClick={retry} />}
      </>
    )}
  </div>
);

/** The calls left in the shared budget. */
export function BudgetLeft() {
  const { recorder } = session;
  const budget = useShown(recorder, 'answer', () => recorder.budget);
  if (!budget) return null;
  return (
    <p class="small muted budget">
      <meter min={0} max={budget.limit} value={budget.left} aria-label="Calls left" /> {budget.left} of {budget.limit}{' '}
      calls left<span class="more"> in this minute, shared by all users</span>
    </p>
  );
}
