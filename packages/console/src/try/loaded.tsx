import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useCall } from '../parts/use-call.ts';
import { Trouble } from '../parts/waiting.tsx';
import type { Session } from '../session.ts';
import { below, type TokensCall } from './calls.ts';
import { keyOf, type ReportCall, useReportedCall } from './last-call-panel.tsx';

let loading: Promise<boolean> | undefined;

const load = (): Promise<boolean> =>
  fetch('/', { headers: { accept: 'application/json' } })
    .then((response) => response.json())
    .then((index: unknown) => below(index, 'responseCache') === true)
    // Unknown: nothing loads by itself.
    .catch(() => false);

/** Whether the gateway caches answers for all users, as its index says; undefined while that loads. */
export function useResponseCache(): boolean | undefined {
  const [isOn, setIsOn] = useState<boolean>();
  useEffect(() => {
    loading ??= load();
    loading.then(setIsOn);
  }, []);
  return isOn;
}

interface LoadedProps {
  readonly session: Session;
  readonly call: TokensCall;
  /** What the button loads: `majors`. */
  readonly what: string;
  readonly report: ReportCall;
  /** Shown before the answer, so that the answer moves nothing. */
  readonly placeholder: VNode;
  readonly show: (result: unknown) => VNode;
  /** False delays an automatic call, as for a list that is out of view. */
  readonly isInView?: boolean;
}

/** Calls that start by themselves leave a third of the shared budget to others. */
export function isBudgetLow({ recorder: { budget } }: Session): boolean {
  return budget !== undefined && budget.left * 3 <= budget.limit;
}

/** An answer that loads by itself if the gateway caches answers, otherwise at the press of a button. */
export function Loaded({ session, call, what, report, placeholder, show, isInView = true }: LoadedProps) {
  const isCached = useResponseCache();
  const [isWanted, setIsWanted] = useState(false);
  useEffect(() => {
    if (isCached && isInView && !isBudgetLow(session)) setIsWanted(true);
  }, [isCached, isInView]);
  const [state, retry] = useCall(session, isWanted ? { key: keyOf(call), ask: call.ask } : undefined);
  useReportedCall(report, call, state);
  if (state.is === 'done') return show(state.full.result);
  const isScarce = isCached === false || (isCached && isInView && isBudgetLow(session));
  return (
    <>
      <Trouble state={state} retry={retry} />
      {isScarce && !isWanted ? (
        <p class="load">
          <button type="button" onClick={() => setIsWanted(true)}>
            Load {what}
          </button>{' '}
          <span class="muted small">1 call</span>
        </p>
      ) : (
        state.is !== 'failed' && placeholder
      )}
    </>
  );
}
