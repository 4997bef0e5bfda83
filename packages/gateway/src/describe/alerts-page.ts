import { ALERTS } from '../metrics/alert-texts.ts';

const HEAD = `# Alerts

An alert fired: what does it mean, and what do you do?

\`page\` must be handled at once, \`ticket\` in working hours. \`npm run docs\` writes this page from \`deploy/prometheus/alerts.yaml\`.
\`tests/deploy/dashboard.full.test.ts\` fires each alert with Prometheus' own rule test, and checks that a gateway gives out the metrics.
The operator's page shows those that one node can detect: [console.md](../console.md#operate).
`;

const TITLES = { page: 'Page', ticket: 'Ticket' } as const;

const linked = (text: string): string => text.replace(/docs\/([a-z]{1,20}\.md)/g, '[$1](../$1)');

/** docs/operating/alerts.md: what each alert means and what to do. */
export const alertsPage = (): string =>
  [
    HEAD,
    ...Object.entries(ALERTS).map(([alert, { severity, means, advice }]) => {
      return `## ${alert}\n\n**${TITLES[severity]}.** ${linked(means)}\n\n**What to do:** ${linked(advice)}\n`;
    }),
  ].join('\n');
