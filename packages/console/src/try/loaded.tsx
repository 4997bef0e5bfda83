import { below } from '@asset-gateway/protocol';
import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Button } from '../parts/button.tsx';
import { once, useFresh } from '../parts/hooks.ts';
import { type TokensCall, useCall } from '../parts/use-call.ts';
import { Trouble } from '../parts/waiting.tsx';
import { session } from '../session.ts';

const hasResponseCache = once(() =>
  fetch('/', { headers: { accept: 'application/json' } })
    .then((response) => response.json())
    .then((index: unknown) => below(index, 'responseCache') === true)
    // Unknown: nothing loads by itself.
    .catch(() => false),
);

/** Whether the gateway caches answers for all users, as its index says; undefined while that loads. */
export const useResponseCache = (): boolean | undefined => useFresh(hasResponseCache, []).value;

interface LoadedProps {
  readonly call: TokensCall;
  /** What the button loads: `majors`. */
  readonly what: string;
  /** Shown before the answer, so that the answer moves nothing. */
  readonly placeholder: VNode;
  readonly show: (result: unknown) => VNode;
  /** False delays an automatic call, as for a list that is out of view. */
  readonly isInView?: boolean;
}

/** Calls that start by themselves leave a third of the shared budget to others. */
export function isBudgetLow(): boolean {
  const { budget } = session.recorder;
  return budget !== undefined && budget.left * 3 <= budget.limit;
}

/** An answer that loads by itself if the gateway caches answers, otherwise at the press of a button. */
export function Loaded({ call, what, placeholder, show, isInView = true }: LoadedProps) {
  const isCached = useResponseCache();
  const [isWanted, setIsWanted] = useState(false);
  useEffect(() => {
    if (isCached && isInView && !isBudgetLow()) setIsWanted(true);
  }, [isCached, isInView]);
  const [state, retry] = useCall(isWanted ? call : undefined);
  if (state.is === 'done') return show(state.full.result);
  const isScarce = isCached === false || (isCached && isInView && isBudgetLow());
  return (
    <>
      <Trouble state={state} retry={retry} />
      {isScarce && !isWanted ? (
        <p class="load">
          <Button label={`Load ${what}`} onClick={() => setIsWanted(true)} /> <span class="muted small">1 call</span>
        </p>
      ) : (
        state.is !== 'failed' && placeholder
      )}
    </>
  );
}
