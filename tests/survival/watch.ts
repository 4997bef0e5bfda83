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
