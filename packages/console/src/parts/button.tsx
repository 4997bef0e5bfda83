import type { ButtonHTMLAttributes, ComponentChildren, FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Failure } from './failure.tsx';

type ButtonProps = Omit<ButtonHTMLAttributes, 'label'> & { readonly label: string };

export const Button = ({ label, ...rest }: ButtonProps) => (
  <button type="button" {...rest}>
    {label}
  </button>
);

const SHOWN_MS = 4000;

/** Copies a text to the clipboard and says so. `what` names the text for screen readers, such as `the curl command`. */
export function Copy({ text, what }: { readonly text: string; readonly what: string }) {
  const [status, setStatus] = useState('');
  useEffect(() => {
    if (status === '') return undefined;
    const timer = setTimeout(() => setStatus(''), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [status]);
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setStatus('Copied'),
      () => setStatus('The browser refused; select the text instead'),
    );
  return (
    <span class="copy">
      <span role="status" class="small muted">
        {status}
      </span>
      <Button class="quiet" aria-label={`Copy ${what}`} label="Copy" onClick={copy} />
    </span>
  );
}

/** The result of work: a sentence, and content to show below it. */
interface Outcome {
  readonly said: string;
  readonly shown?: ComponentChildren;
}

type Task = ReturnType<typeof useTask>;

/** A button's work: whether it runs, and its outcome or error. Runs one piece of work at a time. */
export function useTask() {
  const [state, setState] = useState<{ isBusy: boolean; outcome?: Outcome; error?: unknown }>({ isBusy: false });
  return {
    ...state,
    run(work: () => Promise<Outcome>): void {
      if (state.isBusy) return;
      setState({ isBusy: true });
      work().then(
        (outcome) => setState({ isBusy: false, outcome }),
        (error: unknown) => setState({ isBusy: false, error }),
      );
    },
  };
}

interface TaskStatusProps {
  readonly task: Task;
  readonly doing: string;
  /** Shows the error; default: `Failure`. */
  readonly failure?: FunctionComponent<{ error: unknown }>;
}

/** Shows `doing` while the task runs, then its outcome or error. */
export const TaskStatus = ({ task, doing, failure: Shown = Failure }: TaskStatusProps) => (
  <>
    <p role="status" class="small">
      {task.isBusy ? doing : task.outcome?.said}
    </p>
    {task.error !== undefined && <Shown error={task.error} />}
    {task.outcome?.shown}
  </>
);

type TaskButtonProps = ButtonProps & { readonly task: Task; readonly work: () => Promise<Outcome> };

/** Starts work. Disabled while the task runs. */
export const TaskButton = ({ task, work, ...rest }: TaskButtonProps) => (
  <Button disabled={task.isBusy} onClick={() => task.run(work)} {...rest} />
);
