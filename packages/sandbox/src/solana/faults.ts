import type { FaultScope, Resettable } from '../knobs.ts';
import type { Arrival } from './arrivals.ts';

/** Faults of a provider; an unset knob is off. */
export interface ProviderFaultKnobs extends FaultScope<Arrival> {
  /** Delay the answer, in milliseconds. */
  delayMs?: number | undefined;
  /** Never answer. */
  hang?: boolean | undefined;
  /** Reset the connection without an answer. */
  resetConnection?: boolean | undefined;
  /** Answer this status with the endpoint's error JSON. */
  status?: number | undefined;
  /** The Retry-After header for `status`. */
  retryAfter?: string | undefined;
  /** The error message for `status`. */
  message?: string | undefined;
  /** Answer 200 with exactly this text. */
  body?: string | undefined;
  /** Answer 200 with this JSON-RPC error. */
  jsonRpcError?: { readonly code: number; readonly message: string } | undefined;
  /** Answer a JSON-RPC call under another id. */
  wrongId?: boolean | undefined;
  /** Answer a JSON-RPC call with neither result nor error. */
  missingResult?: boolean | undefined;
  /** Send the full Content-Length and this fraction (0 to 1) of the body, then close the connection. */
  truncate?: number | undefined;
}

/** The knobs of a running provider. */
export type ProviderFaults = Resettable<ProviderFaultKnobs>;
