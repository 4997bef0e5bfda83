import './wallet.css';
import { errorOf } from '@asset-gateway/client';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { Failure } from '../parts/failure.tsx';
import { Json } from '../parts/json.tsx';
import { useAnswer } from '../parts/use-call.ts';
import { type Row, rowsOf } from '../routes/catalog.ts';
import type { Session } from '../session.ts';
import { AddMoney } from './add-money.tsx';
import { Balance } from './balance.tsx';
import type { BrowserWallet } from './browser-wallet.ts';
import { CheckReceipt } from './check-receipt.tsx';
import { type Bundles, Credit } from './credit.tsx';
import { hasFaucet, useFunds } from './funds.ts';
import { Limits } from './limits.tsx';
import { Payments } from './payments.tsx';
import { TaskStatus, useTask } from './task.tsx';

/** A first paid call: the balance of this browser's address, from a Solana RPC provider. */
function PaidCall({ wallet, row }: { readonly wallet: BrowserWallet; readonly row: Row }) {
  const task = useTask();
  const [answer, setAnswer] = useState<string>();
  const call = async (): Promise<string> => {
    setAnswer(undefined);
    const response = await wallet.buy(row.path, { params: [wallet.address] }, Number(row.priceUsd));
    const text = await response.text();
    setAnswer(text);
    return response.ok ? 'The gateway answered.' : errorOf(response, text).message;
  };
  return (
    <section aria-labelledby="call">
      <h2 id="call">Try a payment</h2>
      <p>
        {row.description} It costs ${row.priceUsd}, settled on Solana after the gateway has the answer. All other routes
        are under <a href="#/routes">Routes</a>.
      </p>
      <p class="actions">
        <button type="button" class="first" disabled={task.isBusy} onClick={() => task.run(call)}>
          Send, pay ${row.priceUsd}
        </button>
      </p>
      <TaskStatus task={task} doing="Paying and waiting for the chain." />
      {answer !== undefined && <Json label="Answer" text={answer} />}
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

/** Redraws when the wallet changes, also in another tab; returns the number of changes. */
function useWalletChanges(wallet: BrowserWallet): number {
  const [count, setCount] = useState(0);
  const change = () => setCount((before) => before + 1);
  useLayoutEffect(() => wallet.listen(change), [wallet]);
  useEffect(() => {
    addEventListener('storage', change);
    return () => removeEventListener('storage', change);
  }, []);
  return count;
}

/** Balance, ways to add money, limits, credit, a first payment, payments and receipts. */
export function WalletView({ session }: { readonly session: Session }) {
  const { wallet } = session;
  const changes = useWalletChanges(wallet);
  const funds = useFunds(wallet.payer, changes);
  const faucet = useAnswer(hasFaucet, []);
  const isSandbox = faucet.is === 'done' ? faucet.value : undefined;
  const catalog = useAnswer(() => rowsOf(session), []);
  const rows = catalog.is === 'done' ? catalog.value : [];
  const first = rows.find(isFirstCall);
  const bundles = bundlesIn(rows);
  return (
    <div class="wallet">
      <h1>Wallet</h1>
      <p>
        Solana data costs a fraction of a cent per call, in USDC. Nothing is paid before you press a button that shows
        the price.
      </p>
      <Balance wallet={wallet} funds={funds} />
      <AddMoney wallet={wallet} funds={funds} isSandbox={isSandbox === true} />
      <Limits wallet={wallet} />
      {catalog.is === 'failed' && <Failure error={catalog.error} />}
      {catalog.is !== 'waiting' && (
        <>
          {bundles.size > 0 && <Credit wallet={wallet} bundles={bundles} changes={changes} />}
          {first && <PaidCall wallet={wallet} row={first} />}
          <Payments wallet={wallet} changes={changes} isSandbox={isSandbox} />
          <CheckReceipt />
        </>
      )}
    </div>
  );
}
