import type { Cluster } from '@asset-gateway/protocol';
import { useEffect } from 'preact/hooks';
import { type Fresh, useFresh } from '../parts/hooks.ts';
import type { Funds } from './paying.ts';

const MICROS = 1e6;

/** A whole number of millionths, with at least two decimals: `0.05`, `0.000005`. */
export const exact = (micros: number): string => (micros / MICROS).toFixed(6).replace(/0{1,4}$/, '');

/** The same in dollars. */
export const usd = (micros: number): string => `$${exact(micros)}`;

/** A time as `24 Nov, 17:30`, in the time zone of the browser. */
export const shortTime = (at: number): string =>
  new Date(at).toLocaleString('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });

/** The balances of an address on a cluster that the gateway sells on. */
export interface ClusterFunds extends Funds {
  readonly cluster: Cluster;
}

/** The gateway repeats a balance for three seconds. */
const BALANCE_CACHED_MS = 3_100;

async function readFunds(address: string): Promise<readonly ClusterFunds[]> {
  const { fundsOf } = await import('./paying.ts');
  const read = (['mainnet', 'devnet'] as const).map(async (cluster) => {
    const funds = await fundsOf(address, cluster);
    return funds ? [{ cluster, ...funds }] : [];
  });
  return (await Promise.all(read)).flat();
}

/** The balances of an address; loaded again after each change of the wallet, once the gateway has new ones. */
export function useFunds(address: string, changes: number): Fresh<readonly ClusterFunds[]> {
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
  const answer = (await response.json()) as { readonly message?: string };
  if (!response.ok) throw new Error(answer.message ?? 'The faucet failed; try again.');
  await new Promise((over) => setTimeout(over, BALANCE_CACHED_MS));
}
