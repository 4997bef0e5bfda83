import { useState } from 'preact/hooks';

/** Something that a button does: whether it is under way, what it said, and what went wrong. */
export interface Task {
  readonly isBusy: boolean;
  readonly result: string;
  readonly error: unknown;
  run(work: () => Promise<string>): void;
}

/** Runs one thing at a time, and keeps the sentence that it ended with. */
export function useTask(): Task {
  const [state, setState] = useState({ isBusy: false, result: '', error: undefined as unknown });
  return {
    ...state,
    run(work) {
      if (state.isBusy) return;
      setState({ isBusy: true, result: '', error: undefined });
      work().then(
        (result) => setState({ isBusy: false, result, error: undefined }),
        (error: unknown) => setState({ isBusy: false, result: '', error }),
      );
    },
  };
}
