import { type Cluster, dollars, dollarText, microsOfUsd } from '@asset-gateway/protocol';
import { useEffect, useRef } from 'preact/hooks';
import { useGateway } from '../gateway.ts';
import { Faucet } from '../wallet/deposit.tsx';
import { useWallet } from '../wallet/funds.ts';
import { usdcOn, useBalances } from '../wallet/use-balance.ts';
import type { CatalogRow } from './catalog.ts';

/** The money that pays for a route: credit if it suffices, else USDC. Undefined while its amount is unknown. */
function useMoney({ cluster, priceUsd, creditPriceUsd = priceUsd, credit: mode }: CatalogRow) {
  const { wallet } = useWallet();
  const { isSandbox } = useGateway() ?? {};
  const held = usdcOn(useBalances(), cluster as Cluster);
  const [needed = 0, neededCredit = 0] = [priceUsd, creditPriceUsd].map((usd) => microsOfUsd(usd));
  const credit = wallet.external || mode !== 'accepted' ? 0 : wallet.creditOn(cluster as Cluster);
  if (credit >= neededCredit && credit > 0)
    return { text: `Paid from credit: ${dollarText(credit)} left`, isShort: false };
  if (held === undefined) return undefined;
  const isShort = held < needed;
  const text = isShort
    ? `Only ${dollars(held)} USDC on ${cluster}`
    : `Wallet: ${dollars(held)} ${isSandbox ? 'play ' : ''}USDC`;
  return { text, isShort, hasFaucet: isSandbox === true && !wallet.external };
}

/**
 * Beside the pay button: the money that pays. If it is too little, offers play money in the sandbox, unless a failed payment above already
 * does.
 */
export function PaysFrom({ row, isOffered }: { readonly row: CatalogRow; readonly isOffered: boolean }) {
  const money = useMoney(row);
  const place = useRef<HTMLDivElement>(null);
  const isShort = money?.isShort === true;
  const wasShort = useRef(isShort);
  useEffect(() => {
    // The faucet's button had the focus and is gone.
    const isLost = wasShort.current && !isShort && document.activeElement === document.body;
    wasShort.current = isShort;
    if (isLost) place.current?.closest('form')?.querySelector<HTMLElement>('[type=submit]')?.focus();
  }, [isShort]);
  return (
    <div ref={place} class="from">
      <span role="status" class={`small money ${isShort ? 'short' : 'muted'}`}>
        {money?.text}
      </span>
      {isShort && money.hasFaucet && !isOffered && <Faucet class="first" clusters={[row.cluster as Cluster]} />}
    </div>
  );
}
