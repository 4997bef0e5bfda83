import { get } from 'node:http';
import { cpuSeconds, memoryMib } from '../kit/usage.ts';
import { atPace, type Served } from './honest.ts';

/** Asks on a connection of its own whether the gateway is alive. */
function isAlive(origin: string): Promise<Served> {
  const sinceMs = performance.now();
  return new Promise((resolve) => {
    const end = (outcome: string) => resolve({ outcome, ms: performance.now() - sinceMs });
    get(`${origin}/healthz`, { agent: false }, (response) => {
      response.resume().on('end', () => end(String(response.statusCode)));
    }).on('error', (error) => end(error.message));
  });
}

/** Measurements of a watched gateway. */
export interface Watched {
  readonly health: readonly Served[];
  readonly maxRssMib: number;
  readonly cpuSeconds: number;
}

/** Looks at it every second until the end. */
export async function watch(origin: string, pid: number, endMs: number): Promise<Watched> {
  const health: Served[] = [];
  const before = cpuSeconds(pid);
  let maxRssMib = 0;
  await atPace(1_000, endMs, async () => {
    health.push(await isAlive(origin));
    maxRssMib = Math.max(maxRssMib, memoryMib(pid));
  });
  return { health, maxRssMib, cpuSeconds: cpuSeconds(pid) - before };
}

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
