import type { Cluster } from '@asset-gateway/protocol';
import { useState } from 'preact/hooks';
import type { BrowserWallet } from './browser-wallet.ts';
import { TaskButton, TaskStatus, useTask } from './task.tsx';

/** The price in dollars of the smallest bundle on each cluster that sells credit. */
export type Bundles = ReadonlyMap<Cluster, string>;

const labelOf = (cluster: Cluster, priceUsd: string): string =>
  `Buy the smallest bundle on ${cluster} for $${priceUsd}`;

/** Prepaid credit: its balance, and buttons that buy bundles. */
export function Credit({ wallet, bundles }: { readonly wallet: BrowserWallet; readonly bundles: Bundles }) {
  const task = useTask();
  const [left, setLeft] = useState('');
  const load = async (): Promise<string> => {
    const { balances } = await (await wallet.client()).credit.balance();
    const usdOn = (cluster: Cluster) => balances.find((each) => each.cluster === cluster)?.balanceUsd ?? '0.00';
    setLeft([...bundles.keys()].map((cluster) => `$${usdOn(cluster)} left on ${cluster}.`).join(' '));
    return '';
  };
  const buy = (cluster: Cluster, priceUsd: string) => async (): Promise<string> => {
    await wallet.buyCredit(cluster, Number(priceUsd));
    await load();
    return 'You bought the bundle. Calls are now paid from it with a signature and without a transaction.';
  };
  return (
    <section aria-labelledby="credit">
      <h2 id="credit">Credit</h2>
      <p class="small muted">
        One payment buys many calls. The price of a bundle becomes credit on its cluster, and each call there is charged
        to the credit.
      </p>
      <p>{left}</p>
      <p class="sendings">
        <TaskButton task={task} label="Show credit" work={load} />
        {!wallet.external &&
          [...bundles].map(([cluster, priceUsd]) => (
            <TaskButton key={cluster} task={task} label={labelOf(cluster, priceUsd)} work={buy(cluster, priceUsd)} />
          ))}
      </p>
      {wallet.external && (
        <p class="small muted">
          Credit needs a signature for each call, so only the key of this browser can buy and use it.
        </p>
      )}
      <TaskStatus task={task} doing="Waiting for the gateway." />
    </section>
  );
}
