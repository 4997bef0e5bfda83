import type { FaultScope, Resettable } from '../knobs.ts';
import type { Arrival } from './arrivals.ts';

/** What can go wrong with an upstream; every knob that is not set is off. */
export interface FaultKnobs extends FaultScope<Arrival> {
  /** Milliseconds to wait before anything is answered. */
  delayMs?: number | undefined;
  /** Never answer; the socket stays until the client closes it. */
  hang?: boolean | undefined;
  /** Destroy the socket with RST before anything is answered. */
  resetConnection?: boolean | undefined;
  /** Answer this status with the upstream's error JSON. */
  status?: number | undefined;
  /** The Retry-After header that goes with `status`. */
  retryAfter?: string | undefined;
  /** The message of the error that `status` answers. */
  message?: string | undefined;
  /** Announce the whole body, write this fraction (0 to 1) and destroy the socket. */
  truncate?: number | undefined;
  /** Write the headers, then one byte of the body per this many milliseconds. */
  drip?: number | undefined;
  /** Answer 200 with a JSON string of this many bytes, of unannounced length. */
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
  /** Answer 200 with the request itself, its key included. */
  echo?: boolean | undefined;
  /** Close a kept-alive connection, without a warning, after every so many answers. */
  closeAfter?: number | undefined;
}

/** The knobs of a running upstream. */
export type Faults = Resettable<FaultKnobs>;
