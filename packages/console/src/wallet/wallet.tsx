import './wallet.css';
import { errorOf } from '@asset-gateway/client';
import { useState } from 'preact/hooks';
import { TaskButton, TaskStatus, useTask } from '../parts/button.tsx';
import { Json } from '../parts/code.tsx';
import { Failure } from '../parts/failure.tsx';
import { useEvent, useFresh } from '../parts/hooks.ts';
import { type Row, rowsOf } from '../routes/catalog.ts';
import { useSession } from '../session.ts';
import { AddMoney } from './add-money.tsx';
import { Balance, Limits } from './balance.tsx';
import { CheckReceipt } from './check-receipt.tsx';
import { type Bundles, Credit } from './credit.tsx';
import { hasFaucet, useFunds } from './funds.ts';
import { Payments } from './payments.tsx';

/** A first paid call: the balance of this browser's address, from a Solana RPC provider. */
function PaidCall({ row }: { readonly row: Row }) {
  const { wallet } = useSession();
  const task = useTask();
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
      <p class="row actions">
        <TaskButton class="first" task={task} label={`Send, pay $${row.priceUsd}`} work={call} />
      </p>
      <TaskStatus task={task} doing="Paying and waiting for the chain." />
    </section>
  );
}

const isFirstCall = ({ surface, method }: Row): boolean => surface === 'rpc' && method === 'getBalance';

const bundlesIn = (rows: readonly Row[]): Bundles =>
  new Map(
    rows.flatMap(({ surface, cluster, priceUsd }) =>
      (surface as string) === 'credit' && cluster ? [[cluster, priceUsd] as const] : [],
    ),
  );

/** Balance, ways to add money, limits, credit, a first payment, payments and receipts. */
export function WalletView() {
  const session = useSession();
  const { wallet } = session;
  const [changes, setChanges] = useState(0);
  useEvent(wallet, 'change', () => setChanges((before) => before + 1));
  const funds = useFunds(wallet.payer, changes);
  const { value: isSandbox } = useFresh(hasFaucet, []);
  const catalog = useFresh(() => rowsOf(session), []);
  const rows = catalog.value ?? [];
  const first = rows.find(isFirstCall);
  const bundles = bundlesIn(rows);
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
      {catalog.error !== undefined && <Failure error={catalog.error} />}
      {!catalog.isLoading && (
        <>
          {bundles.size > 0 && <Credit bundles={bundles} changes={changes} />}
          {first && <PaidCall row={first} />}
          <Payments changes={changes} isSandbox={isSandbox} />
          <CheckReceipt />
        </>
      )}
    </div>
  );
}
