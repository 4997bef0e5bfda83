import { useLayoutEffect, useState } from 'preact/hooks';
import { useAnswer } from '../parts/use-call.ts';
import { type Row, rowsOf } from '../routes/catalog.ts';
import type { Session } from '../session.ts';
import type { BrowserWallet } from './browser-wallet.ts';
import { PaidCall } from './call.tsx';
import { type Bundles, Credit } from './credit.tsx';
import { Balances } from './funds.tsx';
import { Payer } from './payer.tsx';
import { Purchases, Unfinished } from './purchases.tsx';
import type { PageCaps } from './storage.ts';
import './wallet.css';

const CAPS: readonly (readonly [keyof PageCaps, string])[] = [
  ['perCallUsd', 'Per call'],
  ['perBundleUsd', 'Per bundle of credit'],
  ['perDayUsd', 'Per 24 hours'],
];

/** The caps on payments: nothing above them is signed. */
function CapsForm({ wallet }: { readonly wallet: BrowserWallet }) {
  const { caps } = wallet;
  const change = (name: keyof PageCaps, text: string): void => {
    const usd = Number(text);
    if (text.trim() !== '' && usd >= 0 && usd <= 1000) wallet.setCaps({ ...caps, [name]: usd });
  };
  return (
    <section aria-labelledby="caps">
      <h2 id="caps">Caps</h2>
      <p class="small muted">In dollars. A payment above a cap is not signed.</p>
      <div class="caps">
        {CAPS.map(([name, label]) => (
          <div key={name}>
            <label for={name}>{label}</label>
            <input
              id={name}
              inputMode="decimal"
              autocomplete="off"
              defaultValue={String(caps[name])}
              onChange={({ currentTarget }) => change(name, currentTarget.value)}
            />
          </div>
        ))}
      </div>
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

/** Redraws when the wallet changes; returns the number of changes. */
function useWalletChanges(wallet: BrowserWallet): number {
  const [count, setCount] = useState(0);
  useLayoutEffect(() => wallet.listen(() => setCount((before) => before + 1)), [wallet]);
  return count;
}

/** The payer, its balances and caps, a first call, credit and purchases. */
export function WalletView({ session }: { readonly session: Session }) {
  const { wallet } = session;
  const changes = useWalletChanges(wallet);
  const catalog = useAnswer(() => rowsOf(session), []);
  const rows = catalog.is === 'done' ? catalog.value : [];
  const first = rows.find(isFirstCall);
  const bundles = bundlesIn(rows);
  return (
    <>
      <h1>Pay per call</h1>
      <p>
        Solana data costs a fraction of a cent per call, in USDC. Nothing is paid before you press a button that shows
        the price.
      </p>
      <div class="wallet">
        <Payer wallet={wallet} />
        <Balances wallet={wallet} changes={changes} />
        <CapsForm wallet={wallet} />
        {first && <PaidCall wallet={wallet} row={first} />}
        {bundles.size > 0 && <Credit wallet={wallet} bundles={bundles} />}
        <Unfinished wallet={wallet} />
        <Purchases wallet={wallet} />
      </div>
    </>
  );
}
