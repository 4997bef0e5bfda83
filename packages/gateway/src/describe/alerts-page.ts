import { ALERTS } from '../metrics/alert-texts.ts';

const HEAD = `# Alerts

Meaning and remedy of each alert in \`deploy/prometheus/alerts.yaml\`, from which \`npm run docs\` writes this page. [The operator's
page](../console.md#operate) shows those that one node can detect.`;

const SECTIONS = { page: 'Page: handle at once', ticket: 'Ticket: handle in working hours' } as const;

const linked = (text: string): string => text.replace(/docs\/([a-z]{1,20}\.md)/g, '[$1](../$1)');

function section(severity: keyof typeof SECTIONS): string {
  const alerts = Object.entries(ALERTS).filter(([, alert]) => alert.severity === severity);
  const lines = alerts.map(([name, { means, advice }]) => `- **${name}**: ${linked(means)} ${linked(advice)}\n`);
  return `## ${SECTIONS[severity]}\n\n${lines.join('')}`;
}

/** Returns docs/operating/alerts.md, with each alert's meaning and action. */
export const alertsPage = (): string => `${HEAD}\n\n${section('page')}\n${section('ticket')}`;
