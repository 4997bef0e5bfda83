import type { Wallet } from '@asset-gateway/client';
import type { Cluster } from '@asset-gateway/protocol';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { encode } from 'uqr';
import { Button, Copy, TaskRow } from '../parts/button.tsx';
import type { Fresh } from '../parts/hooks.ts';
import { session } from '../session.ts';
import { askFaucet, exact } from './funds.ts';
import type { Funds } from './paying.ts';
import { deleteBrowserKey } from './storage.ts';

type Change = (found: readonly Wallet[]) => readonly Wallet[];

/** Calls back with each change of the installed wallets that can sign a payment. */
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

/** The choice of what pays: the key of this browser or an installed wallet. */
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

/** The light border that scanners need, in modules. */
const QUIET_ZONE = 4;

/** A QR code, dark on light in both colour schemes: many scanners read no other. */
function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const { path, box } = useMemo(() => {
    const { data, size } = encode(text, { border: QUIET_ZONE });
    const squares = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')));
    return { path: squares.join(''), box: `0 0 ${size} ${size}` };
  }, [text]);
  return (
    <svg class="qr" viewBox={box} role="img" aria-label={label} shape-rendering="crispEdges">
      <path d={path} />
    </svg>
  );
}

function DeleteKey({ funds }: { readonly funds: Fresh<readonly Funds[]> }) {
  const { wallet } = session;
  const [isConfirming, setConfirming] = useState(false);
  if (!isConfirming) return <Button class="quiet" label="Delete key" onClick={() => setConfirming(true)} />;
  const remove = (): void => void deleteBrowserKey().then(() => location.reload());
  const held = wallet.external ? [] : (funds.value ?? []).filter(({ usdcMicros }) => usdcMicros > 0);
  const lost = held.map(({ cluster, usdcMicros }) => `${exact(usdcMicros)} USDC on ${cluster}`);
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

/** How to fund the key of this browser, and which wallet pays. */
export function AddMoney({ funds, isSandbox }: { funds: Fresh<readonly Funds[]>; isSandbox: boolean }) {
  const { address, isStored } = session.wallet;
  const fill = (cluster: Cluster) => async () => {
    await askFaucet(address, cluster);
    funds.reload();
    return { said: `You received 10 play USDC on ${cluster}.` };
  };
  const works = (funds.value ?? []).map(({ cluster }) => [`Get 10 play USDC on ${cluster}`, fill(cluster)] as const);
  return (
    <section aria-labelledby="add">
      <h2 id="add">Add money</h2>
      <div class="add">
        <div>
          <p>Send USDC on Solana to this address. You need no SOL: the gateway pays the network fee.</p>
          <p class="line address">{address}</p>
          <p>
            <Copy text={address} what="the address" />
          </p>
          {isSandbox && <TaskRow works={works} doing="Waiting for the play money." />}
        </div>
        <QrCode text={address} label="QR code of the address" />
      </div>
      <p class="small muted">
        {isStored
          ? 'The address belongs to a key that was created in this browser. The key cannot be exported and stays here after you close the page. Send it only what you can afford to lose.'
          : 'This browser stores nothing, so the key of this address is lost when you close the tab. Send it no money.'}
      </p>
      <Payer />
      {isStored && <DeleteKey funds={funds} />}
    </section>
  );
}
