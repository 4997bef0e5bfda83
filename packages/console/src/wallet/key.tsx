import type { Wallet } from '@asset-gateway/client';
import { dollars } from '@asset-gateway/protocol';
import { useEffect, useState } from 'preact/hooks';
import { Button } from '../parts/button.tsx';
import { session } from '../session.ts';
import { deleteBrowserKey } from './storage.ts';
import type { Balances } from './use-balance.ts';

type Change = (found: readonly Wallet[]) => readonly Wallet[];

/** Calls back at each change of the installed wallets that can sign a payment. */
function findWallets(change: (by: Change) => void): () => void {
  const api = {
    register(...wallets: readonly Wallet[]) {
      const paying = wallets.filter(({ features }) => 'solana:signTransaction' in features);
      change((found) => [...new Set([...found, ...paying])]);
      return () => change((found) => found.filter((wallet) => !wallets.includes(wallet)));
    },
  };
  const onRegister = (event: Event): void => (event as CustomEvent<(given: typeof api) => void>).detail(api);
  addEventListener('wallet-standard:register-wallet', onRegister);
  dispatchEvent(new CustomEvent('wallet-standard:app-ready', { detail: api }));
  return () => removeEventListener('wallet-standard:register-wallet', onRegister);
}

/** The choice of the payer: this browser's key or an installed wallet. */
function Payer() {
  const { wallet } = session;
  const [installed, setInstalled] = useState<readonly Wallet[]>([]);
  useEffect(() => findWallets(setInstalled), []);
  if (installed.length === 0)
    return <p class="small muted">To pay with a browser wallet instead, install one that supports Solana.</p>;
  return (
    <fieldset>
      <legend>Pay with</legend>
      {[undefined, ...installed].map((each) => (
        <label key={each?.name ?? ''} class="choice">
          <input type="radio" name="payer" checked={wallet.external === each} onChange={() => wallet.choose(each)} />{' '}
          {each ? each.name : 'The key of this browser'}
        </label>
      ))}
    </fieldset>
  );
}

function DeleteKey({ funds }: { readonly funds: Balances }) {
  const { wallet } = session;
  const [isConfirming, setConfirming] = useState(false);
  if (!isConfirming) return <Button class="quiet" label="Delete key" onClick={() => setConfirming(true)} />;
  const remove = (): void => void deleteBrowserKey().then(() => location.reload());
  const held = wallet.external ? [] : (funds.value ?? []).filter(({ usdcMicros }) => usdcMicros > 0);
  const lost = held.map(({ cluster, usdcMicros }) => `${dollars(usdcMicros)} USDC on ${cluster}`);
  return (
    <div role="alert" class="failure">
      <p>
        There is no copy of this key. If you delete it, its money{lost.length > 0 && ` (${lost.join(', ')})`} and its
        credit are lost for good.
      </p>
      <p class="row actions">
        <Button class="quiet" label="Delete key for good" onClick={remove} />
        <Button class="quiet" label="Keep key" onClick={() => setConfirming(false)} />
      </p>
    </div>
  );
}

/** The key that pays, its place, and how to delete it. */
export function Key({ funds }: { readonly funds: Balances }) {
  const { isStored } = session.wallet;
  return (
    <section aria-labelledby="key">
      <h2 id="key">Key</h2>
      <p class="small muted">
        {isStored
          ? 'The address above belongs to a key that was created in this browser. The key cannot be exported and stays here after you close the page. Send it only what you can afford to lose.'
          : 'This browser stores nothing, so the key of the address above is lost when you close the tab. Send it no money.'}
      </p>
      <Payer />
      {isStored && <DeleteKey funds={funds} />}
    </section>
  );
}
