import { Failure } from '../parts/failure.tsx';
import type { Task } from './use-task.ts';

/** What a task is doing, has done, or could not do. */
export function Told({ task, doing }: { readonly task: Task; readonly doing: string }) {
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

/** Begins a task; nothing else of it can be begun meanwhile. */
export const TaskButton = ({ task, label, work }: TaskButtonProps) => (
  <button type="button" disabled={task.isBusy} onClick={() => task.run(work)}>
    {label}
  </button>
);
