/** The pages in reading order, by file. Missing files are left out. */
const GROUPS = [
  { title: 'Start', sources: ['README.md', 'docs/console.md', 'docs/cli.md', 'docs/client.md', 'docs/mcp.md'] },
  {
    title: 'Call it',
    sources: [
      'docs/routes.md',
      'docs/errors.md',
      'docs/signing.md',
      'docs/credit.md',
      'docs/receipts.md',
      'docs/versioning.md',
    ],
  },
  {
    title: 'Run it',
    sources: [
      'docs/configuration.md',
      'docs/operating/index.md',
      'docs/operating/deploy.md',
      'docs/operating/proxy.md',
      'docs/operating/costs-and-limits.md',
      'docs/operating/shares-and-blocking.md',
      'docs/operating/restarts-and-state.md',
      'docs/operating/postgresql.md',
      'docs/operating/failures.md',
      'docs/operating/alerts.md',
      'docs/operating/keys-and-secrets.md',
      'docs/cache.md',
      'docs/redis.md',
      'docs/sales.md',
      'docs/metrics.md',
      'docs/upgrading.md',
    ],
  },
  {
    title: 'Guarantees',
    sources: ['docs/cases.md', 'docs/conformance.md', 'docs/proof.md', 'docs/performance.md', 'SECURITY.md'],
  },
  { title: 'Internals', sources: ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'docs/decisions'] },
];

/** The folder whose pages are listed on a separate page. */
export const DECISIONS = 'docs/decisions';

/** The path in the site for a file of the repository. */
function outputOf(source) {
  if (source === 'README.md') return 'index.html';
  if (source === DECISIONS) return 'decisions/index.html';
  const name = source.replace(/\.md$/, '.html');
  return name.startsWith('docs/') ? name.slice('docs/'.length) : name.toLowerCase();
}

/** The groups of pages, each page with its file and its path in the site. A page without a group ends the build. */
export function navigationOf(sources) {
  const named = new Set(GROUPS.flatMap((group) => group.sources));
  const decisions = sources.filter((source) => source.startsWith(`${DECISIONS}/`)).sort();
  const lost = sources.filter((source) => !named.has(source) && !decisions.includes(source));
  if (lost.length > 0) throw new Error(`${lost.join(', ')} is missing from the groups of site/navigation.mjs`);
  const pageOf = (source) => ({ source, output: outputOf(source) });
  const groups = GROUPS.map(({ title, sources: all }) => ({
    title,
    pages: all.filter((source) => source === DECISIONS || sources.includes(source)).map(pageOf),
  }));
  return { groups, decisions: decisions.map(pageOf) };
}
