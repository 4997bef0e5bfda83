import type { Wallet } from '@asset-gateway/client';
import { useEffect, useState } from 'preact/hooks';
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

/** The choice of what pays: the key of this browser or an installed wallet. */
export function Payer({ wallet }: { readonly wallet: BrowserWallet }) {
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
