import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** One request as it arrived, before any check; `body` is filled in once it has been read. */
export interface Arrival {
  /** `performance.now()` in milliseconds when the headers had been received. */
  readonly at: number;
  readonly method: string;
  /** The raw request target. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  body: string;
  /** The number of the socket, counted from 1. */
  readonly connection: number;
}

const KEPT = 100_000;

/** Notes a request among the arrivals; a sandbox that runs for days forgets the oldest ones. */
export function noteArrival(arrivals: Arrival[], request: IncomingMessage, connection: number): Arrival {
  const arrival: Arrival = {
    at: performance.now(),
    method: request.method ?? '',
    target: request.url ?? '',
    headers: { ...request.headers },
    body: '',
    connection,
  };
  if (arrivals.length >= KEPT) {
    arrivals.splice(0, KEPT / 2);
  }
  arrivals.push(arrival);
  return arrival;
}

/** Reads the body of a request into its arrival; resolves with it, or with what came when the client left. */
export async function readBody(request: IncomingMessage, arrival: Arrival): Promise<string> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) {
      chunks.push(chunk);
    }
  } catch {
    // The client has gone; nobody waits for an answer to half a body.
  }
  arrival.body = Buffer.concat(chunks).toString('utf8');
  return arrival.body;
}
