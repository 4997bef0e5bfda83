import { useRef, useState } from 'preact/hooks';
import { useAnswer } from '../parts/use-call.ts';

/** A value that can be loaded again. */
export interface Fresh<T> {
  /** The last loaded value, also while the next one loads. */
  readonly value: T | undefined;
  readonly error: unknown;
  readonly isLoading: boolean;
  reload(): void;
}

/** Loads a value when its dependencies change or on demand. */
export function useFresh<T>(load: () => Promise<T>, dependencies: readonly unknown[]): Fresh<T> {
  const [count, setCount] = useState(0);
  const last = useRef<T | undefined>(undefined);
  const state = useAnswer(load, [...dependencies, count]);
  if (state.is === 'done') last.current = state.value;
  return {
    value: last.current,
    error: state.is === 'failed' ? state.error : undefined,
    isLoading: state.is === 'waiting',
    reload: () => setCount((before) => before + 1),
  };
}
