import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type FaultScope, type Resettable, record } from '../knobs.ts';

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

/** Faults of the upstream; an unset knob is off. */
export interface FaultKnobs extends FaultScope<Arrival> {
  /** Delay the answer, in milliseconds. */
  delayMs?: number | undefined;
  /** Never answer; the connection stays open until the client closes it. */
  hang?: boolean | undefined;
  /** Reset the connection without an answer. */
  resetConnection?: boolean | undefined;
  /** Answer this status with the upstream's error JSON. */
  status?: number | undefined;
  /** The Retry-After header for `status`. */
  retryAfter?: string | undefined;
  /** The error message for `status`. */
  message?: string | undefined;
  /** Send the full Content-Length and this fraction (0 to 1) of the body, then close the connection. */
  truncate?: number | undefined;
  /** Send the headers, then one byte of the body per this many milliseconds. */
  drip?: number | undefined;
  /** Answer 200 with a JSON string of this many bytes, without Content-Length. */
  huge?: number | undefined;
  /** Answer 200 with gzip that unpacks to a JSON string of this many bytes. */
  gzipBomb?: number | undefined;
  /** Compress every answer. */
  encoding?: 'gzip' | 'br' | 'deflate' | undefined;
  /** Answer 200 with exactly these bytes. */
  body?: string | Buffer | undefined;
  /** The Content-Type of every answer. */
  contentType?: string | undefined;
  /** Answer 302 with this Location. */
  redirect?: string | undefined;
  /** Answer 200 with the request, including its key. */
  echo?: boolean | undefined;
  /** Close a keep-alive connection without notice after this many answers. */
  closeAfter?: number | undefined;
}

/** The knobs of a running upstream. */
export type Faults = Resettable<FaultKnobs>;
