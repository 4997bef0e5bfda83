import { useShown } from '../parts/hooks.ts';
import { session } from '../session.ts';

/** Returns a time as `24 Nov, 17:30`, in the browser's time zone. */
export const shortTime = (at: number): string =>
  new Date(at).toLocaleString('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });

/** This browser's wallet, and how often it changed. Renders again after each change. */
export function useWallet() {
  const { wallet } = session;
  return { wallet, changes: useShown(wallet, 'change', () => wallet.changes) };
}
