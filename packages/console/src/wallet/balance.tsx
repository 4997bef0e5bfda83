import { useState } from 'preact/hooks';
import { Failure } from '../parts/failure.tsx';
import type { Fresh } from '../parts/hooks.ts';
import { TermList } from '../parts/table.tsx';
import { session } from '../session.ts';
import { exact, usd } from './funds.ts';
import { spentMicros } from './ledger.ts';
import type { Funds } from './paying.ts';
import { isCap, type PageCaps, readCaps } from './storage.ts';

/** The cents stand out; the rest of the six decimals does not. */
function Usdc({ micros }: { readonly micros: number | undefined }) {
  if (micros === undefined) return <>{'–'}</>;
  const text = (micros / 1e6).toFixed(6);
  return (
    <>
      {text.slice(0, -4)}
      <span class="muted">{text.slice(-4)}</span> <span class="unit">USDC</span>
    </>
  );
}

/** What this browser spent in 24 hours, beside its limit. */
const Spent = ({ spent, limit }: { readonly spent: number; readonly limit: number }) => (
  <>
    {usd(spent)} <span class="muted">of {usd(limit)}</span>
    <meter min={0} max={Math.max(limit, 1)} value={Math.min(spent, limit)} aria-label="Spent of the daily limit" />
    <span class="small muted">in the last 24 hours</span>
  </>
);

const Refresh = ({ funds }: { readonly funds: Fresh<unknown> }) => (
  <button type="button" class="quiet icon" aria-label="Refresh balance" title="Refresh balance" onClick={funds.reload}>
    <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path
        d="M13.5 8a5.5 5.5 0 1 1-1.6-3.9M13.5 1.5v3.2h-3.2"
        fill="none"
        stroke="currentColor"
        stroke-width="1.6"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  </button>
);

/** Keeps the layout while the balances load. */
const LOADING: readonly Partial<Funds>[] = [{ cluster: 'mainnet' }, { cluster: 'devnet' }];

const UNREADABLE =
  'The record of spending in this browser cannot be read. Nothing is signed until you clear this site’s data.';

/** What the payer holds, and what this browser spent in 24 hours. */
export function Balance({ funds }: { readonly funds: Fresh<readonly Funds[]> }) {
  const { wallet } = session;
  const [main, ...others] = funds.value ?? LOADING;
  const spent = spentMicros();
  const limit = Math.round(readCaps().perDayUsd * 1e6);
  const usdc = (micros: number | undefined): string => (micros === undefined ? '–' : `${exact(micros)} USDC`);
  return (
    <section aria-labelledby="balance">
      <div class="row head">
        <h2 id="balance">Balance</h2>
        <Refresh funds={funds} />
      </div>
      {funds.value?.length === 0 ? (
        <p>This gateway sells nothing, so you need no money here.</p>
      ) : (
        <>
          <p class="big tabular" aria-busy={funds.isLoading}>
            <Usdc micros={main?.usdcMicros} />
          </p>
          <p class="small muted">
            on {main?.cluster}
            {wallet.external && `, in ${wallet.external.name}`}
          </p>
          {spent === undefined && <p role="alert">{UNREADABLE}</p>}
          <TermList
            class="figures tabular"
            of={[
              spent !== undefined && ['Spent today', <Spent spent={spent} limit={limit} />],
              ...others.map(({ cluster, usdcMicros }) => [`On ${cluster}`, usdc(usdcMicros)] as const),
              ['SOL (not needed)', main?.lamports === undefined ? '–' : (main.lamports / 1e9).toFixed(4)],
            ]}
          />
        </>
      )}
      {funds.error !== undefined && <Failure error={funds.error} />}
    </section>
  );
}

const LIMITS: readonly (readonly [keyof PageCaps, string])[] = [
  ['perCallUsd', 'Per call'],
  ['perBundleUsd', 'Per credit purchase'],
  ['perDayUsd', 'Per 24 hours'],
];

const isAmount = (text: string): boolean => text.trim() !== '' && isCap(Number(text));

interface InputsProps {
  readonly caps: PageCaps;
  readonly invalid: keyof PageCaps | undefined;
  readonly change: (name: keyof PageCaps, text: string) => void;
}

const Inputs = ({ caps, invalid, change }: InputsProps) => (
  <div class="limits">
    {LIMITS.map(([name, label]) => (
      <div key={name}>
        <label for={name}>{label}</label>
        <span class="dollars tabular">
          <input
            id={name}
            inputMode="decimal"
            autocomplete="off"
            aria-invalid={invalid === name}
            aria-describedby={invalid === name ? 'limit-hint' : undefined}
            defaultValue={String(caps[name])}
            onChange={({ currentTarget }) => change(name, currentTarget.value)}
          />
        </span>
      </div>
    ))}
  </div>
);

/** The spending limits: nothing above them is signed. */
export function Limits() {
  const { wallet } = session;
  const spent = spentMicros();
  const caps = readCaps();
  const [invalid, setInvalid] = useState<keyof PageCaps>();
  const change = (name: keyof PageCaps, text: string): void => {
    setInvalid(isAmount(text) ? undefined : name);
    if (isAmount(text)) wallet.setCaps({ ...caps, [name]: Number(text) });
  };
  return (
    <section aria-labelledby="limits">
      <h2 id="limits">Spending limits</h2>
      <p class="small muted">A payment above a limit is not signed, in any tab of this browser.</p>
      <Inputs caps={caps} invalid={invalid} change={change} />
      {invalid && (
        <p id="limit-hint" role="alert">
          Enter an amount from 0 to 1000. The earlier limit still applies.
        </p>
      )}
      {spent !== undefined && (
        <p class="small">
          {usd(spent)} spent in the last 24 hours, {usd(Math.max(0, Math.round(caps.perDayUsd * 1e6) - spent))} left.
        </p>
      )}
    </section>
  );
}
