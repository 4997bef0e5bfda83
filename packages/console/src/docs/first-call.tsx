import { useReloadable } from '../parts/hooks.ts';
import { samplesOf } from '../parts/samples.ts';
import { SampleTabs } from '../parts/tabs.tsx';
import { rowsOf } from '../routes/catalog.ts';

const named = { q: 'gold' };

/** A free call in other clients. */
export function FirstCall() {
  const { value: rows = [] } = useReloadable(rowsOf, []);
  const row = rows.find(({ id }) => id === 'tokens.search');
  if (!row) return null;
  const url = `${location.origin}${row.path}?${new URLSearchParams(named)}`;
  const samples = samplesOf({ ...row, values: [named], named, url });
  return (
    <section class="panel" aria-labelledby="first-call">
      <h2 id="first-call">The same call from anywhere</h2>
      <p class="muted">This call is free: a signature by any Solana wallet opens it.</p>
      <SampleTabs samples={samples} />
    </section>
  );
}
