import type { Arrival } from './arrivals.ts';

/** What can go wrong with an upstream; every knob that is not set is off. */
export interface FaultKnobs {
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
  /** The faults are for these requests only. */
  only?: ((arrival: Arrival) => boolean) | undefined;
  /** The faults are for this many more requests. */
  times?: number | undefined;
}

/** The knobs of a running upstream; they may be turned at any time and hold for the requests that arrive after. */
export interface Faults extends FaultKnobs {
  /** Turns every knob off. */
  reset(): void;
}

/** Fresh knobs, all off. */
export function createFaults(): Faults {
  const faults: Faults = {
    reset() {
      for (const knob of Object.keys(faults)) {
        if (knob !== 'reset') {
          Reflect.deleteProperty(faults, knob);
        }
      }
    },
  };
  return faults;
}

/** The faults that one request meets; counts it when the faults are for a number of requests. */
export function faultsFor(faults: Faults, arrival: Arrival): FaultKnobs {
  const { reset: _, only, times, ...knobs } = faults;
  const turned = Object.values(knobs).some((value) => value !== undefined && value !== false);
  if (!turned || (times !== undefined && times <= 0) || only?.(arrival) === false) {
    return {};
  }
  if (times !== undefined) {
    faults.times = times - 1;
  }
  return knobs;
}
