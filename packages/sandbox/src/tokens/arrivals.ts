import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { record } from '../record.ts';

/** A received request, before any check; `body` is set once it has been read. */
export interface Arrival {
  /** `performance.now()` in milliseconds when the headers arrived. */
  readonly at: number;
  readonly method: string;
  /** The raw request target. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  body: string;
  /** The number of the connection, from 1. */
  readonly connection: number;
}

/** Records a request when its headers have arrived. */
export function recordArrival(arrivals: Arrival[], request: IncomingMessage, connection: number): Arrival {
  const { method = '', url: target = '', headers } = request;
  return record(arrivals, { at: performance.now(), method, target, headers: { ...headers }, body: '', connection });
}

/** Reads the body of a request into its arrival; resolves with a partial body if the client disconnects. */
export async function readBody(request: IncomingMessage, arrival: Arrival): Promise<string> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) {
      chunks.push(chunk);
    }
  } catch {
    // The client disconnected.
  }
  arrival.body = Buffer.concat(chunks).toString('utf8');
  return arrival.body;
}
