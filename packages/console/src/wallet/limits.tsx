import { useState } from 'preact/hooks';
import { usd } from './amounts.ts';
import type { BrowserWallet } from './browser-wallet.ts';
import { spentMicros } from './ledger.ts';
import type { PageCaps } from './storage.ts';

const LIMITS: readonly (readonly [keyof PageCaps, string])[] = [
  ['perCallUsd', 'Per call'],
  ['perBundleUsd', 'Per credit purchase'],
  ['perDayUsd', 'Per 24 hours'],
];

interface LimitProps {
  readonly name: keyof PageCaps;
  readonly label: string;
  readonly wallet: BrowserWallet;
}

function Limit({ name, label, wallet }: LimitProps) {
  const [isInvalid, setInvalid] = useState(false);
  const change = (text: string): void => {
    const value = Number(text);
    const isValid = text.trim() !== '' && value >= 0 && value <= 1000;
    setInvalid(!isValid);
    if (isValid) wallet.setCaps({ ...wallet.caps, [name]: value });
  };
  return (
    <div>
      <label for={name}>{label}</label>
      <span class="dollars">
        <input
          id={name}
          inputMode="decimal"
          autocomplete="off"
          aria-invalid={isInvalid}
          aria-describedby={isInvalid ? `${name}-hint` : undefined}
          defaultValue={String(wallet.caps[name])}
          onChange={({ currentTarget }) => change(currentTarget.value)}
        />
      </span>
      {isInvalid && (
        <p id={`${name}-hint`} class="small" role="alert">
          Enter an amount from 0 to 1000.
        </p>
      )}
    </div>
  );
}

/** The spending limits: nothing above them is signed. */
export function Limits({ wallet }: { readonly wallet: BrowserWallet }) {
  const spent = spentMicros();
  const { perDayUsd } = wallet.caps;
  return (
    <section aria-labelledby="limits">
      <h2 id="limits">Spending limits</h2>
      <p class="small muted">A payment above a limit is not signed, in any tab of this browser.</p>
      <div class="limits">
        {LIMITS.map(([name, label]) => (
          <Limit key={name} name={name} label={label} wallet={wallet} />
        ))}
      </div>
      {spent !== undefined && (
        <p class="small">
          {usd(spent)} spent in the last 24 hours, {usd(Math.max(0, Math.round(perDayUsd * 1e6) - spent))} left.
        </p>
      )}
    </section>
  );
}
