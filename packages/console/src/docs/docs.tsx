import './docs.css';
import { useFresh } from '../parts/hooks.ts';
import { samplesOf } from '../parts/samples.ts';
import { TermList } from '../parts/table.tsx';
import { SampleTabs } from '../parts/tabs.tsx';
import { hrefOf } from '../router.ts';
import { rowsOf } from '../routes/catalog.ts';
import { SYSTEM_ROWS } from '../routes/system-rows.ts';

const named = { q: 'gold' };

const pathOf = (wanted: string): string => SYSTEM_ROWS.find(({ method }) => method === wanted)?.path ?? '';

/** Documents of this gateway: address, title, and whom they are for. */
const DOCUMENTS = [
  [hrefOf('routes'), 'Routes', 'Every route with its price, its parameters and its answer. Send requests from there.'],
  [pathOf('openapi'), 'OpenAPI 3.1', 'The same for tools that generate clients.'],
  [pathOf('llms'), 'llms.txt', 'The same as a short text, for people and for language models.'],
  [pathOf('catalog'), 'Catalog', 'The same as JSON, with the schema of each parameter.'],
  [pathOf('wellKnown'), 'x402 resources', 'What is sold here, for x402 clients that discover it.'],
] as const;

/** Guides in the repository. */
const GUIDES = [
  ['docs/tutorials/client.md', 'Call the gateway from a program'],
  ['docs/tutorials/agent.md', 'Give an agent a budget'],
  ['docs/tutorials/seller.md', 'Sell an API of your own'],
  ['docs/tutorials/operator.md', 'Run a gateway'],
  ['docs/errors.md', 'Every error and what to do about it'],
  ['docs/signing.md', 'What is signed, byte by byte'],
] as const;

/** A free call in other clients. */
function FirstCall() {
  const { value: rows = [] } = useFresh(rowsOf, []);
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

const Documents = () => (
  <ul class="cards">
    {DOCUMENTS.map(([href, title, text]) => (
      <li key={href}>
        <a class="panel" href={href}>
          <strong>{title}</strong>
          <span class="small muted">{text}</span>
        </a>
      </li>
    ))}
  </ul>
);

/** Where to read more: the documents of this gateway, a first call in other clients, and guides. */
export const Docs = () => (
  <div class="docs">
    <h1>Documentation</h1>
    <section aria-labelledby="documents">
      <h2 id="documents">Reference of this gateway</h2>
      <Documents />
    </section>
    <FirstCall />
    <section aria-labelledby="guides">
      <h2 id="guides">Guides</h2>
      <p class="muted">They are files of the source code, and pages of the site that npm run site builds from it.</p>
      <TermList class="guides" of={GUIDES.map(([path, title]) => [title, <code key={path}>{path}</code>] as const)} />
    </section>
  </div>
);
