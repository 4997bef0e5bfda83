import './docs.css';
import { useReloadable } from '../parts/hooks.ts';
import { TermList } from '../parts/table.tsx';
import { hrefOf } from '../router.ts';
import { SYSTEM_ROWS } from '../routes/system-rows.ts';

const loadFirstCall = () => import('./first-call.tsx').then((code) => code.FirstCall);

const pathOf = (wanted: string): string => SYSTEM_ROWS.find(({ method }) => method === wanted)?.path ?? '';

/** Documents of this gateway: address, title and readers. */
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

/** Further reading: this gateway's documents, guides, and, once its code has loaded, a first call in other clients. */
export function Docs() {
  const { value: FirstCall } = useReloadable(loadFirstCall, []);
  return (
    <div class="docs">
      <h1>Documentation</h1>
      <section aria-labelledby="documents">
        <h2 id="documents">Reference of this gateway</h2>
        <Documents />
      </section>
      {FirstCall && <FirstCall />}
      <section aria-labelledby="guides">
        <h2 id="guides">Guides</h2>
        <p class="muted">They are files of the source code, and pages of the site that npm run site builds from it.</p>
        <TermList class="guides" of={GUIDES.map(([path, title]) => [title, <code key={path}>{path}</code>] as const)} />
      </section>
    </div>
  );
}
