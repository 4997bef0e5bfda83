import { useEffect, useState } from 'preact/hooks';
import { below } from './calls.ts';

let loading: Promise<boolean> | undefined;

const load = (): Promise<boolean> =>
  fetch('/', { headers: { accept: 'application/json' } })
    .then((response) => response.json())
    .then((index: unknown) => below(index, 'responseCache') === true)
    // Unknown: nothing loads by itself.
    .catch(() => false);

/** Whether the gateway caches answers for all users, as its index says; undefined while that loads. */
export function useResponseCache(): boolean | undefined {
  const [isOn, setIsOn] = useState<boolean>();
  useEffect(() => {
    loading ??= load();
    loading.then(setIsOn);
  }, []);
  return isOn;
}
