import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { atPace, type Served } from './honest.ts';

/** Resident memory of a process, in MiB. */
const rssMib = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

/** The CPU time that it has taken, in seconds. */
export function cpuSecondsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

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
  const before = cpuSecondsOf(pid);
  let maxRssMib = 0;
  await atPace(1_000, endMs, async () => {
    health.push(await isAlive(origin));
    maxRssMib = Math.max(maxRssMib, rssMib(pid));
  });
  return { health, maxRssMib, cpuSeconds: cpuSecondsOf(pid) - before };
}
