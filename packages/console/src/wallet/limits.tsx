import { useState } from 'preact/hooks';
import type { BrowserWallet } from './browser-wallet.ts';
import { usd } from './funds.ts';
import { spentMicros } from './ledger.ts';
import type { PageCaps } from './storage.ts';

const LIMITS: readonly (readonly [keyof PageCaps, string])[] = [
  ['perCallUsd', 'Per call'],
  ['perBundleUsd', 'Per credit purchase'],
  ['perDayUsd', 'Per 24 hours'],
];

const isAmount = (text: string): boolean => text.trim() !== '' && Number(text) >= 0 && Number(text) <= 1000;

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
export function Limits({ wallet }: { readonly wallet: BrowserWallet }) {
  const spent = spentMicros();
  const { caps } = wallet;
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
