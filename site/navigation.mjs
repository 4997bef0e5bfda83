/** The pages in the order in which they are read, by their files in the repository. One that is not there is left out. */
const GROUPS = [
  { title: 'Start', sources: ['README.md', 'docs/console.md', 'docs/cli.md', 'docs/client.md', 'docs/mcp.md'] },
  {
    title: 'Call it',
    sources: ['docs/routes.md', 'docs/signing.md', 'docs/credit.md', 'docs/receipts.md', 'docs/versioning.md'],
  },
  {
    title: 'Run it',
    sources: [
      'docs/configuration.md',
      'docs/operating.md',
      'docs/cache.md',
      'docs/redis.md',
      'docs/sales.md',
      'docs/metrics.md',
      'docs/upgrading.md',
    ],
  },
  {
    title: 'What holds',
    sources: ['docs/cases.md', 'docs/conformance.md', 'docs/proof.md', 'docs/performance.md', 'SECURITY.md'],
  },
  { title: 'How it is built', sources: ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'docs/decisions'] },
];

/** The folder whose pages are listed on a page of their own. */
export const DECISIONS = 'docs/decisions';

/** The path of a page in the site, from its file in the repository. */
function outputOf(source) {
  if (source === 'README.md') return 'index.html';
  if (source === DECISIONS) return 'decisions/index.html';
  const name = source.replace(/\.md$/, '.html');
  return name.startsWith('docs/') ? name.slice('docs/'.length) : name.toLowerCase();
}

/**
 * The groups of pages of the files that are there, each page with its file and its path in the site. A page of docs/ without a
 * place in the groups ends the build: nobody would find it.
 */
export function navigationOf(sources) {
  const named = new Set(GROUPS.flatMap((group) => group.sources));
  const decisions = sources.filter((source) => source.startsWith(`${DECISIONS}/`)).sort();
  const lost = sources.filter((source) => !named.has(source) && !decisions.includes(source));
  if (lost.length > 0) throw new Error(`${lost.join(', ')} has no place in the groups of site/navigation.mjs`);
  const pageOf = (source) => ({ source, output: outputOf(source) });
  const groups = GROUPS.map(({ title, sources: all }) => ({
    title,
    pages: all.filter((source) => source === DECISIONS || sources.includes(source)).map(pageOf),
  }));
  return { groups, decisions: decisions.map(pageOf) };
}
