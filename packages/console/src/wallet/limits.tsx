import { dollarText, microsOfUsd } from '@asset-gateway/protocol';
import { useState } from 'preact/hooks';
import { useWallet } from './funds.ts';
import { spentMicros } from './ledger.ts';
import { isCap, type PageCaps, readCaps } from './storage.ts';

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

const UNREADABLE =
  'The record of spending in this browser cannot be read. Nothing is signed until you clear this site’s data.';

/** This browser's spending in 24 hours, beside its limit. */
function Spent({ limit }: { readonly limit: number }) {
  const spent = spentMicros();
  if (spent === undefined) return <p role="alert">{UNREADABLE}</p>;
  return (
    <p class="row spent">
      <meter min={0} max={Math.max(limit, 1)} value={Math.min(spent, limit)} aria-label="Spent of the daily limit" />
      <span>
        <b>{dollarText(spent)}</b> of {dollarText(limit)} spent in the last 24 hours
      </span>
    </p>
  );
}

/** The spending limits, and the spending so far. Nothing above a limit is signed. */
export function Limits() {
  const { wallet } = useWallet();
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
      <Spent limit={microsOfUsd(caps.perDayUsd)} />
    </section>
  );
}
