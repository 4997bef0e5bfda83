import type { Cluster } from '@asset-gateway/protocol';
import { Button, TaskButton, TaskStatus, useTask } from '../parts/button.tsx';
import { Failure } from '../parts/failure.tsx';
import { useFresh } from '../parts/hooks.ts';
import { TermList } from '../parts/table.tsx';
import { useSession } from '../session.ts';
import { usd } from './funds.ts';

/** The price in dollars of the smallest bundle on each cluster that sells credit. */
export type Bundles = ReadonlyMap<Cluster, string>;

interface CreditProps {
  readonly bundles: Bundles;
  readonly changes: number;
}

/** The credit left on each cluster, read with a free sign-in. */
function Left({ bundles, changes }: CreditProps) {
  const { wallet } = useSession();
  const balances = useFresh(async () => (await (await wallet.client()).credit.balance()).balances, [changes]);
  const leftOn = (cluster: Cluster): string => {
    const found = balances.value?.find((each) => each.cluster === cluster);
    return balances.value ? usd(found?.balanceMicros ?? 0) : '–';
  };
  return (
    <>
      <TermList
        class="figures tabular"
        aria-busy={balances.isLoading}
        of={[...bundles.keys()].map((cluster) => [`Left on ${cluster}`, leftOn(cluster)])}
      />
      {balances.error !== undefined && (
        <>
          <Failure error={balances.error} />
          <Button class="quiet" label="Try again" onClick={balances.reload} />
        </>
      )}
    </>
  );
}

function Buy({ bundles }: Omit<CreditProps, 'changes'>) {
  const { wallet } = useSession();
  const task = useTask();
  const buy = (cluster: Cluster, priceUsd: string) => async () => {
    await wallet.buyCredit(cluster, Number(priceUsd));
    return { said: `You bought $${priceUsd} of credit on ${cluster}.` };
  };
  return (
    <>
      <p class="row actions">
        {[...bundles].map(([cluster, priceUsd]) => (
          <TaskButton
            key={cluster}
            task={task}
            label={`Buy $${priceUsd} of credit on ${cluster}`}
            work={buy(cluster, priceUsd)}
          />
        ))}
      </p>
      <TaskStatus task={task} doing="Waiting for the payment to settle." />
    </>
  );
}

/** Prepaid credit: its balance, and buttons that buy bundles. */
export const Credit = ({ bundles, changes }: CreditProps) => (
  <section aria-labelledby="credit">
    <h2 id="credit">Credit</h2>
    <p class="small muted">
      Prepaid credit makes calls faster: each one is charged to it with a signature and without a transaction.
    </p>
    <Left bundles={bundles} changes={changes} />
    {useSession().wallet.external ? (
      <p class="small muted">
        Credit needs a signature for each call, so only the key of this browser can buy and use it.
      </p>
    ) : (
      <Buy bundles={bundles} />
    )}
  </section>
);
