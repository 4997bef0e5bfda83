import type { Arrival } from './arrivals.ts';

/** What can go wrong with a provider; every knob that is not set is off. */
export interface ProviderFaultKnobs {
  /** Milliseconds to wait before anything is answered. */
  delayMs?: number | undefined;
  /** Never answer. */
  hang?: boolean | undefined;
  /** Destroy the socket with RST before anything is answered. */
  resetConnection?: boolean | undefined;
  /** Answer this status with the error JSON of the door that was knocked at. */
  status?: number | undefined;
  /** The Retry-After header that goes with `status`. */
  retryAfter?: string | undefined;
  /** The message of the error that `status` answers. */
  message?: string | undefined;
  /** Answer 200 with exactly this text. */
  body?: string | undefined;
  /** Answer 200 with this JSON-RPC error. */
  jsonRpcError?: { readonly code: number; readonly message: string } | undefined;
  /** Answer a JSON-RPC call under another id. */
  wrongId?: boolean | undefined;
  /** Answer a JSON-RPC call with neither result nor error. */
  missingResult?: boolean | undefined;
  /** Announce the whole body, write this fraction (0 to 1) and destroy the socket. */
  truncate?: number | undefined;
  /** The faults are for these requests only. */
  only?: ((arrival: Arrival) => boolean) | undefined;
  /** The faults are for this many more requests. */
  times?: number | undefined;
}

/** The knobs of a running provider; they hold for the requests that arrive after. */
export interface ProviderFaults extends ProviderFaultKnobs {
  /** Turns every knob off. */
  reset(): void;
}

/** Fresh knobs, all off. */
export function createProviderFaults(): ProviderFaults {
  const faults: ProviderFaults = {
    reset() {
      for (const knob of Object.keys(faults).filter((name) => name !== 'reset')) {
        Reflect.deleteProperty(faults, knob);
      }
    },
  };
  return faults;
}

/** The faults that one request meets; counts it when the faults are for a number of requests. */
export function faultsFor(faults: ProviderFaults, arrival: Arrival): ProviderFaultKnobs {
  const { reset: _, only, times, ...knobs } = faults;
  const isTurned = Object.values(knobs).some((value) => value !== undefined && value !== false);
  if (!isTurned || (times !== undefined && times <= 0) || only?.(arrival) === false) {
    return {};
  }
  if (times !== undefined) {
    faults.times = times - 1;
  }
  return knobs;
}
