import type { AttackPlan, Tally } from './attack-process.ts';
import type { Served } from './honest.ts';

const attacksOf = ({ silent, pipelines }: AttackPlan): Readonly<Record<string, string>> => ({
  V1: '60 KB of bad base58, twice a second, from a wallet without money',
  V2: 'headers of 15,500 blanks, two a second',
  V6: 'bogus payments, 12 a second from 30 wallets',
  V9: 'requests that hang at the provider, five at once from two wallets',
  V13: 'replays of used sign-ins, 40 beside four honest ones',
  V14: `silent connections, up to ${silent}`,
  V18: 'refused bodies of 60 KB of unknown keys, two a second',
  V20: `pipelines of 15,000 requests whose answers are not read, ${pipelines} at a time`,
});

/** The duration at this quantile. */
export function quantile(all: readonly Served[], share: number): number {
  const times = all.map(({ ms }) => ms).sort((a, b) => a - b);
  return times[Math.ceil(times.length * share) - 1] ?? 0;
}

/** How often each outcome came. */
export function outcomesOf(all: readonly Served[]): string {
  const counts = new Map<string, number>();
  for (const { outcome } of all) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  return [...counts].map(([outcome, times]) => `${times} x ${outcome}`).join(', ');
}

function attackRows(plan: AttackPlan, tally: Tally): string[] {
  return Object.entries(attacksOf(plan)).map(([id, words]) => {
    const answers = Object.entries(tally[id] ?? {});
    const sent = answers.reduce((sum, [, times]) => sum + times, 0);
    return `| ${id} | ${words} | ${sent} | ${answers.map(([answer, times]) => `${times} x ${answer}`).join(', ')} |`;
  });
}

const whole = (milliseconds: number): string => `${Math.round(milliseconds)} ms`;

function honestRow(name: string, all: readonly Served[]): string {
  const times = [quantile(all, 0.5), quantile(all, 0.99), quantile(all, 1)].map(whole);
  return `| ${name} | ${outcomesOf(all)} | ${times.join(' | ')} |`;
}

/** The report as two Markdown tables. */
export function report(
  plan: AttackPlan,
  tally: Tally,
  honest: readonly (readonly [name: string, all: readonly Served[]])[],
): string {
  return [
    '',
    '| | attack | sent | answered |',
    '|---|---|---|---|',
    ...attackRows(plan, tally),
    '',
    '| honest requests | answered | p50 | p99 | longest |',
    '|---|---|---|---|---|',
    ...honest.map(([name, all]) => honestRow(name, all)),
    '',
    '',
  ].join('\n');
}
