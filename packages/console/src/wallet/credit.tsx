import type { Cluster } from '@asset-gateway/protocol';
import { useState } from 'preact/hooks';
import type { Purse } from './purse.ts';
import { TaskButton, Told } from './told.tsx';
import { useTask } from './use-task.ts';

/** Where credit is sold, and for how many dollars at least. */
export type Bundles = ReadonlyMap<Cluster, string>;

const labelOf = (cluster: Cluster, priceUsd: string): string =>
  `Buy the smallest bundle on ${cluster} for $${priceUsd}`;

/** What was paid ahead: one payment for many calls. */
export function Credit({ purse, bundles }: { readonly purse: Purse; readonly bundles: Bundles }) {
  const task = useTask();
  const [left, setLeft] = useState('Not read yet.');
  const read = async (): Promise<string> => {
    const { balances } = await (await purse.client()).credit.balance();
    const usdOn = (cluster: Cluster) => balances.find((each) => each.cluster === cluster)?.balanceUsd ?? '0.00';
    setLeft([...bundles.keys()].map((cluster) => `$${usdOn(cluster)} left on ${cluster}.`).join(' '));
    return '';
  };
  const buy = (cluster: Cluster, priceUsd: string) => async (): Promise<string> => {
    await purse.buyCredit(cluster, Number(priceUsd));
    await read();
    return 'The bundle is bought. Calls are now paid from it with a signature, without a transaction.';
  };
  return (
    <section aria-labelledby="credit">
      <h2 id="credit">Credit</h2>
      <p class="small muted">
        One payment buys many calls: what a bundle costs is kept as credit on its cluster, and each call there takes its
        price of it.
      </p>
      <p>{left}</p>
      <p class="sendings">
        <TaskButton task={task} label="Read the credit" work={read} />
        {!purse.wallet &&
          [...bundles].map(([cluster, priceUsd]) => (
            <TaskButton key={cluster} task={task} label={labelOf(cluster, priceUsd)} work={buy(cluster, priceUsd)} />
          ))}
      </p>
      {purse.wallet && (
        <p class="small muted">
          Credit is spent with a signature a call, so that only the key of this browser uses it.
        </p>
      )}
      <Told task={task} doing="Waiting for the gateway." />
    </section>
  );
}
