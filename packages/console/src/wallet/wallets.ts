import type { Wallet } from '@asset-gateway/client';

interface Registering {
  register(...wallets: readonly Wallet[]): () => void;
}

/** Tells of the wallets of this browser that can sign a payment, now and whenever another one comes. */
export function findWallets(tell: (wallets: readonly Wallet[]) => void): () => void {
  let found: readonly Wallet[] = [];
  const api: Registering = {
    register(...wallets) {
      const paying = wallets.filter(({ features }) => 'solana:signTransaction' in features);
      found = [...found, ...paying.filter((wallet) => !found.includes(wallet))];
      tell(found);
      return () => {
        found = found.filter((wallet) => !wallets.includes(wallet));
        tell(found);
      };
    },
  };
  const onRegister = (event: Event): void => (event as CustomEvent<(api: Registering) => void>).detail(api);
  addEventListener('wallet-standard:register-wallet', onRegister);
  dispatchEvent(new CustomEvent('wallet-standard:app-ready', { detail: api }));
  return () => removeEventListener('wallet-standard:register-wallet', onRegister);
}
