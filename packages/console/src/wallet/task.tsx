import { useState } from 'preact/hooks';
import { Failure } from '../parts/failure.tsx';

/** The work behind a button: whether it runs, the sentence it ended with, and its error. */
export interface Task {
  readonly isBusy: boolean;
  readonly result: string;
  readonly error: unknown;
  run(work: () => Promise<string>): void;
}

/** Runs one piece of work at a time. */
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

/** `doing` while the task runs, then its result or its error. */
export function TaskStatus({ task, doing }: { readonly task: Task; readonly doing: string }) {
  return (
    <>
      <p role="status" class="small">
        {task.isBusy ? doing : task.result}
      </p>
      {task.error !== undefined && <Failure error={task.error} />}
    </>
  );
}

interface TaskButtonProps {
  readonly task: Task;
  readonly label: string;
  readonly work: () => Promise<string>;
}

/** Starts work; disabled while the task runs. */
export const TaskButton = ({ task, label, work }: TaskButtonProps) => (
  <button type="button" disabled={task.isBusy} onClick={() => task.run(work)}>
    {label}
  </button>
);
