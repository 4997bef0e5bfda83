import type { PageCaps } from './caps.ts';
import type { Purse } from './purse.ts';

const NAMES: readonly (readonly [keyof PageCaps, string])[] = [
  ['perCallUsd', 'A call, at most'],
  ['perBundleUsd', 'A bundle of credit, at most'],
  ['perDayUsd', 'All of 24 hours, at most'],
];

/** What a payment may come to. Above it nothing is signed. */
export function Limits({ purse }: { readonly purse: Purse }) {
  const { caps } = purse;
  const limit = (name: keyof PageCaps, text: string): void => {
    const usd = Number(text);
    if (text.trim() !== '' && usd >= 0 && usd <= 1000) purse.limit({ ...caps, [name]: usd });
  };
  return (
    <section aria-labelledby="caps">
      <h2 id="caps">Caps</h2>
      <p class="small muted">In dollars. What would cost more is not signed.</p>
      <div class="caps">
        {NAMES.map(([name, label]) => (
          <div key={name}>
            <label for={name}>{label}</label>
            <input
              id={name}
              inputMode="decimal"
              autocomplete="off"
              defaultValue={String(caps[name])}
              onChange={({ currentTarget }) => limit(name, currentTarget.value)}
            />
          </div>
        ))}
      </div>
    </section>
  );
}
