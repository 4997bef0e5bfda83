import { type Cluster, dollars, MICROS_PER_USD, UNKNOWN } from '@asset-gateway/protocol';
import { Failure } from '../parts/failure.tsx';
import { session } from '../session.ts';
import type { Funds } from './funds-of.ts';
import type { Balances } from './use-balance.ts';

/** Cents stand out. The rest of the six decimals does not. */
function Usdc({ micros }: { readonly micros: number | undefined }) {
  if (micros === undefined) return <>{UNKNOWN}</>;
  const text = (micros / MICROS_PER_USD).toFixed(6);
  return (
    <>
      {text.slice(0, -4)}
      <span class="muted">{text.slice(-4)}</span> <span class="unit">USDC</span>
    </>
  );
}

const Refresh = ({ funds }: { readonly funds: Balances }) => (
  <button type="button" class="quiet icon" aria-label="Refresh balance" title="Refresh balance" onClick={funds.reload}>
    <svg viewBox="0 0 16 16" aria-hidden="true">
      <path d="M13.5 8a5.5 5.5 0 1 1-1.6-3.9M13.5 1.5v3.2h-3.2" />
    </svg>
  </button>
);

/** Keeps the layout while the balances load. */
const LOADING: readonly (Partial<Funds> & { readonly cluster: Cluster })[] = [
  { cluster: 'mainnet' },
  { cluster: 'devnet' },
];

/** The payer's balance on each cluster. */
export function Balance({ funds }: { readonly funds: Balances }) {
  const { wallet } = session;
  const [main, ...others] = funds.value ?? LOADING;
  return (
    <section aria-labelledby="balance">
      <div class="row head">
        <h2 id="balance">Balance</h2>
        <Refresh funds={funds} />
      </div>
      {main ? (
        <>
          <p class="big tabular" aria-busy={funds.isLoading}>
            <Usdc micros={main.usdcMicros} />
          </p>
          <p class="small muted">
            on {main.cluster}
            {wallet.external && `, in ${wallet.external.name}`}
            {others.map(({ cluster, usdcMicros }) => (
              <span key={cluster}>
                {', '}
                <b>{usdcMicros === undefined ? UNKNOWN : dollars(usdcMicros)}</b> USDC on {cluster}
              </span>
            ))}
          </p>
        </>
      ) : (
        <p>This gateway sells nothing, so you need no money here.</p>
      )}
      {funds.error !== undefined && <Failure error={funds.error} />}
    </section>
  );
}
