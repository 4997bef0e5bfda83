import type { Wallet } from '@asset-gateway/client';
import { useEffect, useState } from 'preact/hooks';
import { Copy } from '../parts/code.tsx';
import type { BrowserWallet } from './browser-wallet.ts';

interface Registering {
  register(...wallets: readonly Wallet[]): () => void;
}

/** Calls back with the installed wallets that can sign a payment, now and whenever the list changes. */
function findWallets(report: (wallets: readonly Wallet[]) => void): () => void {
  let found: readonly Wallet[] = [];
  const api: Registering = {
    register(...wallets) {
      const paying = wallets.filter(({ features }) => 'solana:signTransaction' in features);
      found = [...found, ...paying.filter((wallet) => !found.includes(wallet))];
      report(found);
      return () => {
        found = found.filter((wallet) => !wallets.includes(wallet));
        report(found);
      };
    },
  };
  const onRegister = (event: Event): void => (event as CustomEvent<(api: Registering) => void>).detail(api);
  addEventListener('wallet-standard:register-wallet', onRegister);
  dispatchEvent(new CustomEvent('wallet-standard:app-ready', { detail: api }));
  return () => removeEventListener('wallet-standard:register-wallet', onRegister);
}

function DeleteKey({ wallet }: { readonly wallet: BrowserWallet }) {
  const [isConfirming, setConfirming] = useState(false);
  if (!isConfirming)
    return (
      <button type="button" class="quiet" onClick={() => setConfirming(true)}>
        Delete this key
      </button>
    );
  const remove = (): void => void wallet.deleteKey().then(() => location.reload());
  return (
    <p role="alert">
      There is no copy of this key. Its funds and its credit are lost if you delete it.{' '}
      <button type="button" class="quiet" onClick={remove}>
        Delete it
      </button>{' '}
      <button type="button" class="quiet" onClick={() => setConfirming(false)}>
        Keep it
      </button>
    </p>
  );
}

/** The address of this browser's key, and the choice of the payer: that key or an installed wallet. */
export function Payer({ wallet }: { readonly wallet: BrowserWallet }) {
  const [installed, setInstalled] = useState<readonly Wallet[]>([]);
  useEffect(() => findWallets(setInstalled), []);
  return (
    <section aria-labelledby="payer">
      <h2 id="payer">The key of this browser</h2>
      <p class="line">
        {wallet.address} <Copy text={wallet.address} what="the address" />
      </p>
      <p class="small muted">
        {wallet.isStored
          ? 'It was created in this browser, cannot be exported, and is still there after you close the page. Send it only what you can afford to lose.'
          : 'This browser stores nothing, so the key is lost when you close the tab: send it no money.'}
      </p>
      {wallet.isStored && <DeleteKey wallet={wallet} />}
      <fieldset>
        <legend>Payer</legend>
        {[undefined, ...installed].map((each) => (
          <label key={each?.name ?? ''} class="choice">
            <input type="radio" name="payer" checked={wallet.external === each} onChange={() => wallet.choose(each)} />{' '}
            {each ? each.name : 'The key of this browser'}
          </label>
        ))}
        {installed.length === 0 && (
          <p class="small muted">No wallet that can sign payments is installed in this browser.</p>
        )}
      </fieldset>
    </section>
  );
}
