import { useEffect, useState } from 'preact/hooks';

/** What has become of a call. */
export type Answered<T> =
  | { readonly is: 'waiting' }
  | { readonly is: 'here'; readonly value: T }
  | { readonly is: 'failed'; readonly error: unknown };

/** Asks whenever what it depends on changes, and forgets the answer of whoever was asked before. */
export function useAnswer<T>(ask: (signal: AbortSignal) => Promise<T>, on: readonly unknown[]): Answered<T> {
  const [answered, setAnswered] = useState<Answered<T>>({ is: 'waiting' });
  useEffect(() => {
    const controller = new AbortController();
    setAnswered({ is: 'waiting' });
    ask(controller.signal).then(
      (value) => controller.signal.aborted || setAnswered({ is: 'here', value }),
      (error: unknown) => controller.signal.aborted || setAnswered({ is: 'failed', error }),
    );
    return () => controller.abort();
  }, on);
  return answered;
}
