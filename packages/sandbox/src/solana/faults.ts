import type { FaultScope, Resettable } from '../knobs.ts';
import type { Arrival } from './arrivals.ts';

/** What can go wrong with a provider; every knob that is not set is off. */
export interface ProviderFaultKnobs extends FaultScope<Arrival> {
  /** Milliseconds to wait before anything is answered. */
  delayMs?: number | undefined;
  /** Never answer. */
  hang?: boolean | undefined;
  /** Destroy the socket with RST before anything is answered. */
  resetConnection?: boolean | undefined;
  /** Answer this status with the error JSON of the endpoint that was asked. */
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
}

/** The knobs of a running provider. */
export type ProviderFaults = Resettable<ProviderFaultKnobs>;
