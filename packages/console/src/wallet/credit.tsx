import type { Cluster } from '@asset-gateway/protocol';
import { useState } from 'preact/hooks';
import type { Purse } from './purse.ts';
import { TaskButton, Told } from './told.tsx';
import { useTask } from './use-task.ts';

/** What was paid ahead: one payment for many calls. */
export function Credit({ purse, clusters }: { readonly purse: Purse; readonly clusters: readonly Cluster[] }) {
  const task = useTask();
  const [left, setLeft] = useState('Not read yet.');
  const read = async (): Promise<string> => {
    const { balances } = await (await purse.client()).credit.balance();
    const usdOn = (cluster: Cluster) => balances.find((each) => each.cluster === cluster)?.balanceUsd ?? '0.00';
    setLeft(clusters.map((cluster) => `$${usdOn(cluster)} left on ${cluster}.`).join(' '));
    return '';
  };
  const buy = (cluster: Cluster) => async (): Promise<string> => {
    await purse.buyCredit((client) => client.with({ cluster }).credit.buy());
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
          clusters.map((cluster) => (
            <TaskButton key={cluster} task={task} label={`Buy the smallest bundle on ${cluster}`} work={buy(cluster)} />
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
