import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** One request as it arrived, its body included, before any check. */
export interface Arrival {
  /** `performance.now()` in milliseconds. */
  readonly at: number;
  readonly method: string;
  /** The raw request target. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const KEPT = 100_000;

/** Notes a request among the arrivals; a sandbox that runs for days forgets the oldest ones. */
export function noteArrival(arrivals: Arrival[], request: IncomingMessage, body: string): Arrival {
  const { method = '', url: target = '', headers } = request;
  const arrival: Arrival = { at: performance.now(), method, target, headers: { ...headers }, body };
  if (arrivals.length >= KEPT) {
    arrivals.splice(0, KEPT / 2);
  }
  arrivals.push(arrival);
  return arrival;
}
