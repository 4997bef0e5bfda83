import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { record } from '../record.ts';

/** A received request, before any check. */
export interface Arrival {
  /** `performance.now()` in milliseconds. */
  readonly at: number;
  readonly method: string;
  /** The raw request target. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Records a request and its body. */
export function recordArrival(arrivals: Arrival[], request: IncomingMessage, body: string): Arrival {
  const { method = '', url: target = '', headers } = request;
  return record(arrivals, { at: performance.now(), method, target, headers: { ...headers }, body });
}
