import { Copy } from '../parts/button.tsx';
import { session } from '../session.ts';
import { Deposit, Faucet } from './deposit.tsx';
import type { Balances } from './use-balance.ts';

interface AddMoneyProps {
  readonly funds: Balances;
  /** Undefined until known. */
  readonly isSandbox: boolean | undefined;
}

/** How to fund the key of this browser: play money in the sandbox, otherwise its address. */
export function AddMoney({ funds, isSandbox }: AddMoneyProps) {
  const { address } = session.wallet;
  const clusters = (funds.value ?? []).map(({ cluster }) => cluster);
  return (
    <section aria-labelledby="add">
      <h2 id="add">Add money</h2>
      {isSandbox === false && <Deposit address={address} />}
      {isSandbox && (
        <>
          <Faucet clusters={clusters} />
          <p class="row small">
            <span class="muted">Address on the sandbox’s chains; send no real money to it:</span>
            <span class="address">{address}</span>
            <Copy text={address} what="the address" />
          </p>
        </>
      )}
    </section>
  );
}
