import { useState } from 'preact/hooks';
import { useEvent } from '../parts/hooks.ts';
import { session } from '../session.ts';

/** A whole number of millionths, with at least two decimals: `0.05`, `0.000005`. */
export const exact = (micros: number): string => (micros / 1e6).toFixed(6).replace(/0{1,4}$/, '');

/** The same in dollars. */
export const usd = (micros: number): string => `$${exact(micros)}`;

/** A time as `24 Nov, 17:30`, in the time zone of the browser. */
export const shortTime = (at: number): string =>
  new Date(at).toLocaleString('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });

/** The wallet of this browser, and how often it changed. Renders again after each change. */
export function useWallet() {
  const { wallet } = session;
  const [changes, setChanges] = useState(0);
  useEvent(wallet, 'change', () => setChanges((before) => before + 1));
  return { wallet, changes };
}
