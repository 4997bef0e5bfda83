import { useAnswer } from '../parts/use-answer.ts';
import { type Row, rowsOf } from '../routes/catalog.ts';
import type { Session } from '../session.ts';
import { PaidCall } from './call.tsx';
import { type Bundles, Credit } from './credit.tsx';
import { FundsOf } from './funds.tsx';
import { Limits } from './limits.tsx';
import { Payer } from './payer.tsx';
import { Purchases, Unfinished } from './purchases.tsx';
import { usePurse } from './use-purse.ts';
import './wallet.css';

const isFirstCall = ({ surface, method }: Row): boolean => surface === 'rpc' && method === 'getBalance';

const bundlesIn = (rows: readonly Row[]): Bundles =>
  new Map(
    rows.flatMap(({ surface, cluster, priceUsd }) =>
      (surface as string) === 'credit' && cluster ? [[cluster, priceUsd] as const] : [],
    ),
  );

/** Who pays, what with, and what for. */
export function WalletView({ session }: { readonly session: Session }) {
  const { purse } = session;
  const changes = usePurse(purse);
  const asked = useAnswer(() => rowsOf(session), []);
  const rows = asked.is === 'here' ? asked.value : [];
  const first = rows.find(isFirstCall);
  const bundles = bundlesIn(rows);
  return (
    <>
      <h1>Pay by the call</h1>
      <p>
        Solana data costs USDC, a fraction of a cent a call. Nothing is paid before you press a button that says what it
        costs.
      </p>
      <div class="wallet">
        <Payer purse={purse} />
        <FundsOf purse={purse} changes={changes} />
        <Limits purse={purse} />
        {first && <PaidCall purse={purse} row={first} />}
        {bundles.size > 0 && <Credit purse={purse} bundles={bundles} />}
        <Unfinished purse={purse} />
        <Purchases purse={purse} />
      </div>
    </>
  );
}
