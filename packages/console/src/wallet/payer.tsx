import type { Wallet } from '@asset-gateway/client';
import { useEffect, useState } from 'preact/hooks';
import { Copy } from '../parts/copy.tsx';
import type { Purse } from './purse.ts';
import { findWallets } from './wallets.ts';

function Forget({ purse }: { readonly purse: Purse }) {
  const [isSure, setSure] = useState(false);
  if (!isSure)
    return (
      <button type="button" class="quiet" onClick={() => setSure(true)}>
        Forget this key
      </button>
    );
  const forget = (): void => void purse.forget().then(() => location.reload());
  return (
    <p role="alert">
      Nobody has a copy of this key. What its address holds, and its credit, are lost with it.{' '}
      <button type="button" class="quiet" onClick={forget}>
        Forget it all the same
      </button>{' '}
      <button type="button" class="quiet" onClick={() => setSure(false)}>
        Keep it
      </button>
    </p>
  );
}

/** The key of this browser, and who pays: it, or a wallet that is installed here. */
export function Payer({ purse }: { readonly purse: Purse }) {
  const [wallets, setWallets] = useState<readonly Wallet[]>([]);
  useEffect(() => findWallets(setWallets), []);
  return (
    <section aria-labelledby="payer">
      <h2 id="payer">The key of this browser</h2>
      <p class="line">
        {purse.address} <Copy text={purse.address} what="the address" />
      </p>
      <p class="small muted">
        {purse.isKept
          ? 'It was made here, cannot be read by anybody, and stays when the page is closed. Send it no more than you would lose.'
          : 'This browser keeps nothing, so that the key is gone with the tab: send it no money.'}
      </p>
      {purse.isKept && <Forget purse={purse} />}
      <fieldset>
        <legend>Who pays</legend>
        {[undefined, ...wallets].map((wallet) => (
          <label key={wallet?.name ?? ''} class="choice">
            <input type="radio" name="payer" checked={purse.wallet === wallet} onChange={() => purse.choose(wallet)} />{' '}
            {wallet ? wallet.name : 'The key of this browser'}
          </label>
        ))}
        {wallets.length === 0 && (
          <p class="small muted">No wallet is installed in this browser that could pay instead.</p>
        )}
      </fieldset>
    </section>
  );
}
