import { useEffect, useLayoutEffect, useState } from 'preact/hooks';

/** A value that can be loaded again. */
export interface Fresh<T> {
  /** The last loaded value, also while the next one loads. */
  readonly value?: T | undefined;
  readonly error?: unknown;
  readonly isLoading: boolean;
  reload(): void;
}

/** Loads a value when its dependencies change or on demand, and ignores results of earlier loads. */
export function useFresh<T>(load: () => Promise<T>, dependencies: readonly unknown[]): Fresh<T> {
  const [count, setCount] = useState(0);
  const [state, setState] = useState<Omit<Fresh<T>, 'reload'>>({ isLoading: true });
  useEffect(() => {
    let isOver = false;
    setState(({ value }) => ({ value, isLoading: true }));
    load().then(
      (value) => isOver || setState({ value, isLoading: false }),
      (error: unknown) => isOver || setState(({ value }) => ({ value, error, isLoading: false })),
    );
    return () => {
      isOver = true;
    };
  }, [...dependencies, count]);
  return { ...state, reload: () => setCount((before) => before + 1) };
}

export const sleep = (ms: number): Promise<void> => new Promise((over) => setTimeout(over, ms));

/** Loads a value at the first call and shares it; after a failure the next call loads it again. */
export function once<T>(load: () => Promise<T>): typeof load {
  let loaded: Promise<T> | undefined;
  return () => {
    loaded ??= load();
    loaded.catch(() => {
      loaded = undefined;
    });
    return loaded;
  };
}

/** Listens to an event of a target. */
export function useEvent<E extends Event>(target: EventTarget, name: string, listener: (event: E) => void): void {
  // Before the first paint, so that no event is missed.
  useLayoutEffect(() => {
    target.addEventListener(name, listener as EventListener);
    return () => target.removeEventListener(name, listener as EventListener);
  }, [target]);
}
