import './wallet.css';
import { useGateway } from '../gateway.ts';
import { Failure } from '../parts/failure.tsx';
import { useReloadable } from '../parts/hooks.ts';
import { rowsOf } from '../routes/catalog.ts';
import { Balance } from './balance.tsx';
import { CheckReceipt } from './check-receipt.tsx';
import { Credit } from './credit.tsx';
import { AddMoney } from './deposit.tsx';
import { useWallet } from './funds.ts';
import { Key } from './key.tsx';
import { Limits } from './limits.tsx';
import { Payments } from './payments.tsx';
import { useBalances } from './use-balance.ts';

/** One column in the order of a payer's questions: balance, ways to add money, limits, credit, payments, receipts, key. */
export function WalletView() {
  // Renders again when the payer changes.
  useWallet();
  const funds = useBalances();
  const { isSandbox, hasReceipts = false } = useGateway() ?? {};
  const { value: rows = [], error } = useReloadable(rowsOf, []);
  const sold = rows.filter(({ surface, cluster }) => (surface as string) === 'credit' && cluster);
  return (
    <div class="wallet">
      <h1>Wallet</h1>
      <p class="muted">
        Solana data costs a fraction of a cent per call, in USDC. Nothing is paid before you press a button that shows
        the price.
      </p>
      <Balance funds={funds} />
      <AddMoney funds={funds} isSandbox={isSandbox} />
      <Limits />
      {error !== undefined && <Failure error={error} />}
      {sold.length > 0 && <Credit rows={sold} />}
      <Payments hasExplorer={isSandbox === false} hasReceipts={hasReceipts} rows={rows} />
      {hasReceipts && <CheckReceipt />}
      <Key funds={funds} />
    </div>
  );
}
