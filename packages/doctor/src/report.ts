import type { Diagnosis } from './examine.ts';
import type { Finding } from './finding.ts';

/** Text from outside as one line that cannot steer a terminal. */
export const plain = (text: string): string => text.replace(/\p{C}+/gu, ' ');

/** One line for what is wrong in the same way at several places. */
function line([first, ...others]: readonly Finding[]): string {
  if (!first) return '';
  const more = others.length > 0 ? ` and ${others.length} more` : '';
  return `✗ ${plain(`${first.where}${more}: ${first.problem}. ${first.fix}`)}.\n`;
}

/** A diagnosis as text: a line for each thing to fix and for each thing to know, and a summary. */
export function report({ origin, routes, requests, findings, notes }: Diagnosis): string {
  const groups = new Map<string, Finding[]>();
  for (const finding of findings) {
    const { check, problem, fix } = finding;
    const key = JSON.stringify([check, problem, fix]);
    groups.set(key, [...(groups.get(key) ?? []), finding]);
  }
  const looked = `${routes} routes, ${requests} requests`;
  const summary = groups.size === 0 ? `✓ ${origin}: nothing to fix` : `${origin}: ${groups.size} to fix`;
  const known = notes.map((note) => `· ${plain(note)}.\n`);
  return `${[...groups.values()].map(line).join('')}${known.join('')}${summary} (${looked}).\n`;
}
