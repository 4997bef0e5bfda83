import type { FaultScope, Resettable } from '../knobs.ts';
import type { Arrival } from './arrivals.ts';

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
