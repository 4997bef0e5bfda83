import type { Served } from './honest.ts';

/** The duration at this quantile. */
export function quantile(all: readonly Served[], share: number): number {
  const times = all.map(({ ms }) => ms).sort((a, b) => a - b);
  return times[Math.ceil(times.length * share) - 1] ?? 0;
}

/** A row of a Markdown table: how often each outcome came, and how long the requests took. */
export function row(name: string, all: readonly Served[]): string {
  const counts = new Map<string, number>();
  for (const { outcome } of all) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  const outcomes = [...counts].map(([outcome, times]) => `${times} x ${outcome}`).join(', ');
  const times = [0.5, 0.99, 1].map((share) => `${Math.round(quantile(all, share))} ms`);
  return `| ${name} | ${outcomes} | ${times.join(' | ')} |`;
}
