import { dollars, UNKNOWN } from '@asset-gateway/protocol';
import { useGateway } from './gateway.ts';
import { hrefOf } from './router.ts';
import { useBalances } from './wallet/use-balance.ts';

/** Where the cents of an exact amount end, counted from its point. */
const CENTS = 3;

/** An amount and its cluster. A phone has no room for fractions of a cent, so they are not drawn there. */
function Holding({ amount, cluster }: { readonly amount: string; readonly cluster: string }) {
  const end = amount.indexOf('.') + CENTS;
  return (
    <>
      <span class="unseen">Wallet: </span>
      {amount.slice(0, end)}
      <span class="fraction">{amount.slice(end)}</span> <span class="muted">USDC</span>
      <span class="unseen"> on {cluster}</span>
    </>
  );
}

/** The payer's balance on the first cluster that the gateway sells on. */
function Balance() {
  const [first] = useBalances().value ?? [];
  return (
    <a class="holds tabular" href={hrefOf('wallet')}>
      {first ? (
        <Holding amount={dollars(first.usdcMicros)} cluster={first.cluster} />
      ) : (
        <>
          <span class="unseen">Wallet: the balance is not known yet</span>
          <span aria-hidden="true">{UNKNOWN}</span>
        </>
      )}
    </a>
  );
}

/** The header's tools on every view: whether the money is real, how much there is, and further reading. */
export function HeaderTools() {
  const { isSandbox = false, clusters = [] } = useGateway() ?? {};
  return (
    <>
      {isSandbox && <span class="badge sandbox">Sandbox, play money</span>}
      {clusters.length > 0 && <Balance />}
    </>
  );
}
