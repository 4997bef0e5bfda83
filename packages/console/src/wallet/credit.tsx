import type { CreditBalanceResult } from '@asset-gateway/client';
import { type Cluster, dollarText, UNKNOWN } from '@asset-gateway/protocol';
import { Button, TaskButton, TaskStatus, useTask } from '../parts/button.tsx';
import { Failure } from '../parts/failure.tsx';
import { useReloadable } from '../parts/hooks.ts';
import { TermList } from '../parts/table.tsx';
import type { CatalogRow } from '../routes/catalog.ts';
import { session } from '../session.ts';
import { useWallet } from './funds.ts';
import { PaymentFailure } from './missing.tsx';

type CreditBalance = CreditBalanceResult['balances'][number];

/** The credit bought, spent and left. Dashes while unknown. */
function Amounts({ balance, isLoading }: { readonly balance: CreditBalance | undefined; readonly isLoading: boolean }) {
  const { grantedMicros, spentMicros, heldMicros = 0, balanceMicros } = balance ?? {};
  const amount = (micros: number | undefined): string => (micros === undefined ? UNKNOWN : dollarText(micros));
  return (
    <TermList
      class="figures tabular"
      aria-busy={isLoading}
      of={[
        ['Bought', amount(grantedMicros)],
        ['Spent', amount(spentMicros)],
        heldMicros > 0 && ['Held for calls in flight', dollarText(heldMicros)],
        ['Left', <b key="left">{amount(balanceMicros)}</b>],
      ]}
    />
  );
}

interface BuyProps {
  readonly row: CatalogRow;
  readonly task: ReturnType<typeof useTask>;
}

function Buy({ row: { cluster, priceUsd }, task }: BuyProps) {
  const { wallet } = session;
  const buy = async () => {
    await wallet.buyCredit(cluster as Cluster, Number(priceUsd));
    return { said: `You bought $${priceUsd} of credit on ${cluster}.` };
  };
  const label = `Buy $${priceUsd}`;
  return (
    <TaskButton class="quiet" task={task} label={label} aria-label={`${label} of credit on ${cluster}`} work={buy} />
  );
}

/** Prepaid credit on each cluster, read with a free sign-in, and buttons that buy the smallest bundle. */
export function Credit({ rows }: { readonly rows: readonly CatalogRow[] }) {
  const { wallet, changes } = useWallet();
  const task = useTask();
  const read = useReloadable(async () => (await (await wallet.client()).credit.balance()).balances, [changes]);
  return (
    <section aria-labelledby="credit">
      <h2 id="credit">Credit</h2>
      <p class="small muted">
        Prepaid credit makes calls faster: each one is charged to it with a signature and without a transaction.
        {wallet.external && ' Only the key of this browser can buy and use it, because each call needs a signature.'}
      </p>
      {rows.map((row) => (
        <section key={row.cluster} class="credit" aria-label={`Credit on ${row.cluster}`}>
          <h3>{row.cluster}</h3>
          <Amounts balance={read.value?.find(({ cluster }) => cluster === row.cluster)} isLoading={read.isLoading} />
          {!wallet.external && <Buy row={row} task={task} />}
        </section>
      ))}
      <TaskStatus task={task} doing="Waiting for the payment to settle." failure={PaymentFailure} />
      {read.error !== undefined && (
        <>
          <Failure error={read.error} />
          <Button class="quiet" label="Try again" onClick={read.reload} />
        </>
      )}
    </section>
  );
}
