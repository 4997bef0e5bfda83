import type { Diagnosis } from './examine.ts';
import type { Finding } from './finding.ts';

const MAX_LINES = 200;

/** One line for the same fault at several places. */
function line([first, ...others]: readonly Finding[]): string {
  if (!first) return '';
  const more = others.length > 0 ? ` and ${others.length} more` : '';
  return `✗ ${first.where}${more}: ${first.problem}. ${first.fix}.\n`;
}

/** A diagnosis as text: a line for each fault and each note, and a summary. */
export function report({ origin, routes, requests, findings, notes }: Diagnosis): string {
  const groups = new Map<string, Finding[]>();
  for (const finding of findings) {
    const { check, problem, fix } = finding;
    const key = JSON.stringify([check, problem, fix]);
    const group = groups.get(key);
    if (group) group.push(finding);
    else groups.set(key, [finding]);
  }
  const extent = `${routes} routes, ${requests} requests`;
  const summary = groups.size === 0 ? `✓ ${origin}: nothing to fix` : `${origin}: ${groups.size} to fix`;
  const noted = notes.map((note) => `· ${note}.\n`);
  const lines = [...groups.values()].slice(0, MAX_LINES).map(line);
  if (groups.size > MAX_LINES) lines.push(`✗ ${groups.size - MAX_LINES} more, not printed.\n`);
  return `${lines.join('')}${noted.join('')}${summary} (${extent}).\n`;
}
