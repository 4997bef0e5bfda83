import type { FunctionComponent } from 'preact';
import { Failure } from './failure.tsx';
import { useAnswer } from './use-call.ts';

/** A component whose code loads when it is first shown. */
export function lazy<Props extends object>(load: () => Promise<FunctionComponent<Props>>): FunctionComponent<Props> {
  let loading: Promise<FunctionComponent<Props>> | undefined;
  return (props) => {
    const code = useAnswer(() => {
      loading ??= load();
      return loading;
    }, []);
    if (code.is === 'waiting') return <p role="status">Loading …</p>;
    if (code.is === 'failed') return <Failure error={code.error} />;
    const { value: Loaded } = code;
    return <Loaded {...props} />;
  };
}
