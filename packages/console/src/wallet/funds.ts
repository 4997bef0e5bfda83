import { type Cluster, textAt } from '@asset-gateway/protocol';
import { useEffect, useState } from 'preact/hooks';
import { type Fresh, sleep, useEvent, useFresh } from '../parts/hooks.ts';
import { session } from '../session.ts';
import type { Funds } from './paying.ts';

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

/** The gateway repeats a balance for three seconds. */
const BALANCE_CACHED_MS = 3_100;

async function readFunds(address: string): Promise<readonly Funds[]> {
  const { fundsOf } = await import('./paying.ts');
  const funds = await Promise.all([fundsOf(address, 'mainnet'), fundsOf(address, 'devnet')]);
  return funds.filter((each) => each !== undefined);
}

/** The balances of an address on each cluster that the gateway sells on; loaded again after each change of the wallet, once the gateway has new ones. */
export function useFunds(address: string, changes: number): Fresh<readonly Funds[]> {
  const funds = useFresh(() => readFunds(address), [address]);
  useEffect(() => {
    if (changes === 0) return undefined;
    const timer = setTimeout(funds.reload, BALANCE_CACHED_MS);
    return () => clearTimeout(timer);
  }, [changes]);
  return funds;
}

const FAUCET = '/sandbox/faucet';

/** Whether this is the sandbox, which gives out play money. */
export const hasFaucet = (): Promise<boolean> =>
  fetch(FAUCET, { method: 'OPTIONS' }).then(
    ({ ok }) => ok,
    () => false,
  );

/** Gets play money; returns once a new balance can be read. */
export async function askFaucet(address: string, cluster: Cluster): Promise<void> {
  const body = JSON.stringify({ address, cluster });
  const response = await fetch(FAUCET, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const message = textAt(await response.json(), 'message');
  if (!response.ok) throw new Error(message || 'The faucet failed; try again.');
  await sleep(BALANCE_CACHED_MS);
}
