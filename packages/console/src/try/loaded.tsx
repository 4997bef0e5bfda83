import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useGateway } from '../gateway.ts';
import { Button } from '../parts/button.tsx';
import { isUnreachable } from '../parts/connectivity.ts';
import { type TokensCall, useCall } from '../parts/use-call.ts';
import { Trouble } from '../parts/waiting.tsx';
import { session } from '../session.ts';

interface LoadedProps {
  readonly call: TokensCall;
  /** The name of the content on the button, such as `majors`. */
  readonly what: string;
  /** Shown before the answer, so that its arrival moves nothing. */
  readonly placeholder: VNode;
  readonly show: (result: unknown) => VNode;
  /** False delays an automatic call, as for a list that is out of view. */
  readonly isInView?: boolean;
}

/** Whether little budget is left. Automatic calls leave a third of the shared budget to others. */
export function isBudgetLow(): boolean {
  const { budget } = session.recorder;
  return budget !== undefined && budget.left * 3 <= budget.limit;
}

/** An answer that loads by itself in the sandbox and where the gateway caches answers. Elsewhere, it loads at the press of a button. */
export function Loaded({ call, what, placeholder, show, isInView = true }: LoadedProps) {
  const index = useGateway();
  // Undefined until known.
  const isAutomatic = index && (index.isCached || index.isSandbox);
  const [isWanted, setIsWanted] = useState(false);
  useEffect(() => {
    if (isAutomatic && isInView && !isBudgetLow()) setIsWanted(true);
  }, [isAutomatic, isInView]);
  const [state, retry] = useCall(isWanted ? call : undefined);
  if (state.is === 'done') return show(state.full.result);
  const isScarce = isAutomatic === false || (isAutomatic && isInView && isBudgetLow());
  return (
    <>
      <Trouble state={state} retry={retry} />
      {isScarce && !isWanted ? (
        <p class="load">
          <Button label={`Load ${what}`} onClick={() => setIsWanted(true)} /> <span class="muted small">1 call</span>
        </p>
      ) : (
        (state.is !== 'failed' || isUnreachable(state.error)) && placeholder
      )}
    </>
  );
}
