import type { Cluster } from '@asset-gateway/protocol';
import { useState } from 'preact/hooks';
import type { Purse } from './purse.ts';
import { Told } from './told.tsx';
import { useTask } from './use-task.ts';

/** What was paid ahead: one payment for many calls. */
export function Credit({ purse, clusters }: { readonly purse: Purse; readonly clusters: readonly Cluster[] }) {
  const task = useTask();
  const [balance, setBalance] = useState<string>();
  const [cluster = 'mainnet'] = clusters;
  const read = async (): Promise<string> => {
    const { balances } = await (await purse.client()).credit.balance();
    const found = balances.find((each) => each.cluster === cluster);
    setBalance(`$${found?.balanceUsd ?? '0'}`);
    return '';
  };
  const buy = async (): Promise<string> => {
    await purse.buyCredit((client) => client.with({ cluster }).credit.buy());
    await read();
    return 'The bundle is bought. Calls are now paid from it with a signature, without a transaction.';
  };
  return (
    <section aria-labelledby="credit">
      <h2 id="credit">Credit</h2>
      <p class="small muted">
        One payment buys many calls: what a bundle costs is kept as credit on {cluster}, and each call takes its price
        of it.
      </p>
      <p>{balance === undefined ? 'Not read yet.' : `${balance} left`}</p>
      <p class="sendings">
        <button type="button" disabled={task.isBusy} onClick={() => task.run(read)}>
          Read the credit
        </button>
        <button type="button" disabled={task.isBusy || purse.wallet !== undefined} onClick={() => task.run(buy)}>
          Buy the smallest bundle
        </button>
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
