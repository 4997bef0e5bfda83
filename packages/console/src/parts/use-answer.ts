import { useEffect, useState } from 'preact/hooks';

export type LoadState<T> =
  | { readonly is: 'waiting' }
  | { readonly is: 'done'; readonly value: T }
  | { readonly is: 'failed'; readonly error: unknown };

/** Loads a value when its dependencies change, and ignores results of earlier loads. */
export function useAnswer<T>(
  load: (signal: AbortSignal) => Promise<T>,
  dependencies: readonly unknown[],
): LoadState<T> {
  const [state, setState] = useState<LoadState<T>>({ is: 'waiting' });
  useEffect(() => {
    const controller = new AbortController();
    setState({ is: 'waiting' });
    load(controller.signal).then(
      (value) => controller.signal.aborted || setState({ is: 'done', value }),
      (error: unknown) => controller.signal.aborted || setState({ is: 'failed', error }),
    );
    return () => controller.abort();
  }, dependencies);
  return state;
}
