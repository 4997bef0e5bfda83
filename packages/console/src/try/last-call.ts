import { useEffect } from 'preact/hooks';
import type { CallState } from '../parts/use-call.ts';
import type { Step } from '../recorder.ts';
import type { TokensCall } from './calls.ts';

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
