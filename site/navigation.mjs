import { basename } from 'node:path';

/** The page at the root of the site. */
export const LANDING = 'docs/index.md';

/** The folder whose pages are listed on a separate page. */
export const DECISIONS = 'docs/decisions';
const LIST = `${DECISIONS}/README.md`;

const inFolder = (folder, ...names) => names.map((name) => `${folder}/${name}.md`);

/** The modules of the client whose docstrings are pages, and the folder of their Markdown, which TypeDoc writes. */
export const REFERENCE = ['index', 'methods', 'pay', 'node', 'tools'].map((name) => `packages/client/src/${name}.ts`);
export const TEXTS_OF_REFERENCE = '.setup/reference';

/** The pages by reader, in reading order. */
const GROUPS = [
  {
    title: 'Start',
    sources: [LANDING, 'README.md', 'docs/console.md', 'docs/console-pictures.md', 'docs/cli.md'],
  },
  {
    title: 'Concepts',
    sources: [...inFolder('docs/concepts', 'sign-in', 'payment', 'cache', 'shares'), 'docs/glossary.md'],
  },
  {
    title: 'Build a client',
    sources: ['docs/tutorials/client.md', 'docs/client.md', 'docs/signing.md', 'docs/credit.md', 'docs/versioning.md'],
  },
  { title: 'Build an agent', sources: ['docs/tutorials/agent.md', 'docs/mcp.md'] },
  {
    title: 'Operate',
    sources: [
      'docs/tutorials/operator.md',
      ...inFolder('docs/operating', 'index', 'deploy', 'proxy', 'costs-and-limits', 'shares-and-blocking'),
      ...inFolder('docs/operating', 'restarts-and-state', 'postgresql', 'failures', 'alerts', 'keys-and-secrets'),
      'docs/cache.md',
      'docs/redis.md',
      'docs/traces.md',
      'docs/upgrading.md',
    ],
  },
  {
    title: 'Sell',
    sources: ['docs/tutorials/seller.md', 'docs/own-apis.md', 'docs/apis-file.md', 'docs/sales.md', 'docs/receipts.md'],
  },
  {
    title: 'Reference',
    sources: ['docs/routes.md', 'docs/errors.md', 'docs/configuration.md', 'docs/metrics.md', 'CHANGELOG.md'],
  },
  { title: 'Client reference', sources: REFERENCE },
  {
    title: 'Contribute',
    sources: [
      'docs/tutorials/contributor.md',
      'CONTRIBUTING.md',
      'CONVENTIONS.md',
      'ARCHITECTURE.md',
      LIST,
      'docs/cases.md',
      'docs/conformance.md',
      'docs/proof.md',
      'docs/performance.md',
      'SECURITY.md',
      'CODE_OF_CONDUCT.md',
    ],
  },
];

/** The path in the site for a file of the repository. */
function outputOf(source) {
  if (source === 'README.md') return 'overview.html';
  if (source === LIST) return 'decisions/index.html';
  if (REFERENCE.includes(source)) return `reference/${basename(source, '.ts')}.html`;
  const name = source.replace(/\.md$/, '.html');
  return name.startsWith('docs/') ? name.slice('docs/'.length) : name.toLowerCase();
}

/**
 * The groups of pages, each page with its file and its path in the site.
 * @throws for a page without a group, and for a page of a group without a file
 */
export function navigationOf(sources) {
  const named = GROUPS.flatMap((group) => group.sources);
  const decisions = sources.filter((source) => source.startsWith(`${DECISIONS}/`) && source !== LIST).sort();
  const lost = sources.filter((source) => !named.includes(source) && !decisions.includes(source));
  if (lost.length > 0) throw new Error(`${lost.join(', ')} is missing from the groups of site/navigation.mjs`);
  const gone = named.filter((source) => ![...REFERENCE, ...sources].includes(source));
  if (gone.length > 0) throw new Error(`site/navigation.mjs names ${gone.join(', ')}, and there is no such file`);
  const pageOf = (source) => ({ source, output: outputOf(source) });
  const groups = GROUPS.map(({ title, sources: all }) => ({ title, pages: all.map(pageOf) }));
  return { groups, decisions: decisions.map(pageOf) };
}
