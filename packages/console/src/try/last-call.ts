import { useEffect } from 'preact/hooks';
import type { Called } from '../parts/use-call.ts';
import type { Step } from '../recorder.ts';
import type { TokensCall } from './calls.ts';

/** The last call, as the panel beside the view shows it. */
export interface LastCall {
  readonly call: TokensCall;
  readonly url: string;
  readonly steps: readonly Step[];
  /** The body of the answer; nothing where there was none. */
  readonly text: string | undefined;
}

export type Tell = (lastCall: LastCall) => void;

/** What tells a call from all others. */
export const keyOf = ({ method, values }: TokensCall): string => JSON.stringify([method, values]);

/** Tells of a call once anything has been said for it. */
export function useTelling(tell: Tell, call: TokensCall | undefined, called: Called<unknown>): void {
  useEffect(() => {
    const steps = 'steps' in called ? called.steps : [];
    const url = steps.at(-1)?.url;
    if (call && url) tell({ call, url, steps, text: called.is === 'here' ? called.full.text : undefined });
  }, [called]);
}
