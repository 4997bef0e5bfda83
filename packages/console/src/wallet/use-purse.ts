import { useLayoutEffect, useState } from 'preact/hooks';
import type { Purse } from './purse.ts';

/** Shows a purse anew whenever something about it has changed. Answers with how often that was. */
export function usePurse(purse: Purse): number {
  const [count, setCount] = useState(0);
  useLayoutEffect(() => purse.listen(() => setCount((before) => before + 1)), [purse]);
  return count;
}
