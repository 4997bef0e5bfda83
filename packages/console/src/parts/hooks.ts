import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { connectivity, isUnreachable } from './connectivity.ts';

/** A value that can be loaded again. */
export interface Reloadable<T> {
  /** The last loaded value. It stays while the next one loads. */
  readonly value?: T | undefined;
  readonly error?: unknown;
  readonly isLoading: boolean;
  reload(): void;
}

/** Calls back when the gateway answers again, if `isWanted` then. */
export function useBack(isWanted: boolean, listener: () => void): void {
  useEvent(connectivity, 'change', () => {
    if (isWanted && !connectivity.isLost) listener();
  });
}

/** Loads a value on demand and when its dependencies change. Ignores results of earlier loads. */
export function useReloadable<T>(load: () => Promise<T>, dependencies: readonly unknown[]): Reloadable<T> {
  const [count, setCount] = useState(0);
  const [state, setState] = useState<Omit<Reloadable<T>, 'reload'>>({ isLoading: true });
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
  const reload = (): void => setCount((before) => before + 1);
  useBack(isUnreachable(state.error), reload);
  return { ...state, reload };
}

export const sleep = (ms: number): Promise<void> => new Promise((over) => setTimeout(over, ms));

/** Loads a value at the first call and shares it. After a failure, the next call loads it again. */
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

/** Returns a target's state, read again after each event of this name. */
export function useShown<T>(target: EventTarget, name: string, read: () => T): T {
  const [shown, setShown] = useState(read);
  useEvent(target, name, () => setShown(read));
  return shown;
}

/** Listens to an event of a target, with the latest listener. */
export function useEvent<E extends Event>(target: EventTarget, name: string, listener: (event: E) => void): void {
  const latest = useRef(listener);
  latest.current = listener;
  // Before the first paint, so that no event is missed.
  useLayoutEffect(() => {
    const listen = (event: Event): void => latest.current(event as E);
    target.addEventListener(name, listen);
    return () => target.removeEventListener(name, listen);
  }, [target]);
}
