import { useGateway } from './gateway.ts';
import { hrefOf } from './router.ts';
import { exact } from './wallet/funds.ts';
import { useBalances } from './wallet/use-balance.ts';

/** The balance of the payer, on the first cluster that the gateway sells on. */
function Balance() {
  const [first] = useBalances().value ?? [];
  const amount = first ? exact(first.usdcMicros) : '–';
  const label = first ? `Wallet: ${amount} USDC on ${first.cluster}` : 'Wallet: the balance is not known yet';
  return (
    <a class="holds tabular" href={hrefOf('wallet')} aria-label={label} title={label}>
      {amount} <span class="muted">USDC</span>
    </a>
  );
}

/** What the header shows on every view: whether the money is real, how much there is, and where to read more. */
export function HeaderTools() {
  const { isSandbox = false, clusters = [] } = useGateway() ?? {};
  return (
    <>
      {isSandbox && <span class="badge sandbox">Sandbox, play money</span>}
      {clusters.length > 0 && <Balance />}
    </>
  );
}
