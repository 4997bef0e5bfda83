import './wallet.css';
import { errorOf } from '@asset-gateway/client';
import type { Cluster } from '@asset-gateway/protocol';
import { Button, TaskRow } from '../parts/button.tsx';
import { Json } from '../parts/code.tsx';
import { Failure } from '../parts/failure.tsx';
import { useFresh } from '../parts/hooks.ts';
import { TermList } from '../parts/table.tsx';
import { type Row, rowsOf } from '../routes/catalog.ts';
import { session } from '../session.ts';
import { AddMoney } from './add-money.tsx';
import { Balance, Limits } from './balance.tsx';
import { CheckReceipt } from './check-receipt.tsx';
import { hasFaucet, usd, useFunds, useWallet } from './funds.ts';
import { Payments } from './payments.tsx';

/** A first paid call: the balance of this browser's address, from a Solana RPC provider. */
function PaidCall({ row }: { readonly row: Row }) {
  const { wallet } = session;
  const call = async () => {
    const response = await wallet.buy(row.path, { params: [wallet.address] }, Number(row.priceUsd));
    const text = await response.text();
    const said = response.ok ? 'The gateway answered.' : errorOf(response, text).message;
    return { said, shown: <Json label="Answer" text={text} /> };
  };
  return (
    <section aria-labelledby="call">
      <h2 id="call">Try a payment</h2>
      <p>
        {row.description} It costs ${row.priceUsd}, settled on Solana after the gateway has the answer. All other routes
        are under <a href="#/routes">Routes</a>.
      </p>
      <TaskRow class="first" works={[[`Send, pay $${row.priceUsd}`, call]]} doing="Paying and waiting for the chain." />
    </section>
  );
}

/** The credit left on each cluster, read with a free sign-in. */
function Left({ clusters }: { readonly clusters: readonly Row['cluster'][] }) {
  const { wallet, changes } = useWallet();
  const balances = useFresh(async () => (await (await wallet.client()).credit.balance()).balances, [changes]);
  const leftOn = (cluster: Row['cluster']): string => {
    const found = balances.value?.find((each) => each.cluster === cluster);
    return balances.value ? usd(found?.balanceMicros ?? 0) : '–';
  };
  return (
    <>
      <TermList
        class="figures tabular"
        aria-busy={balances.isLoading}
        of={clusters.map((cluster) => [`Left on ${cluster}`, leftOn(cluster)])}
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

/** Prepaid credit: its balance, and buttons that buy the smallest bundle on each cluster. */
function Credit({ rows }: { readonly rows: readonly Row[] }) {
  const { wallet } = session;
  const sold = rows.filter(({ surface, cluster }) => (surface as string) === 'credit' && cluster);
  if (sold.length === 0) return null;
  const buy =
    ({ cluster, priceUsd }: Row) =>
    async () => {
      await wallet.buyCredit(cluster as Cluster, Number(priceUsd));
      return { said: `You bought $${priceUsd} of credit on ${cluster}.` };
    };
  return (
    <section aria-labelledby="credit">
      <h2 id="credit">Credit</h2>
      <p class="small muted">
        Prepaid credit makes calls faster: each one is charged to it with a signature and without a transaction.
      </p>
      <Left clusters={sold.map(({ cluster }) => cluster)} />
      {wallet.external ? (
        <p class="small muted">
          Credit needs a signature for each call, so only the key of this browser can buy and use it.
        </p>
      ) : (
        <TaskRow
          works={sold.map((row) => [`Buy $${row.priceUsd} of credit on ${row.cluster}`, buy(row)])}
          doing="Waiting for the payment to settle."
        />
      )}
    </section>
  );
}

/** Balance, ways to add money, limits, credit, a first payment, payments and receipts. */
export function WalletView() {
  const { wallet, changes } = useWallet();
  const funds = useFunds(wallet.payer, changes);
  const { value: isSandbox } = useFresh(hasFaucet, []);
  const { value: rows = [], error, isLoading } = useFresh(rowsOf, []);
  const first = rows.find(({ surface, method }) => surface === 'rpc' && method === 'getBalance');
  return (
    <div class="wallet">
      <h1>Wallet</h1>
      <p>
        Solana data costs a fraction of a cent per call, in USDC. Nothing is paid before you press a button that shows
        the price.
      </p>
      <Balance funds={funds} />
      <AddMoney funds={funds} isSandbox={isSandbox === true} />
      <Limits />
      {error !== undefined && <Failure error={error} />}
      {!isLoading && (
        <>
          <Credit rows={rows} />
          {first && <PaidCall row={first} />}
          <Payments isSandbox={isSandbox} />
          <CheckReceipt />
        </>
      )}
    </div>
  );
}
