import refusals from './refusals.json' with { type: 'json' };

/** The client's next steps after a refusal, each with its codes. The first match decides. */
export const NEXT_STEPS = [
  ['Sign in again', /^(?:sign_in_|invalid_siwx_)/],
  ['Pay', /^(?:payment_required|payment_malformed|payment_rejected|no_matching_|credit_exhausted|invalid_exact_)/],
  ['Resend the same payment', /^(?:payment_in_progress|settlement_|facilitator_)/],
  ['Use another payment', /^(?:payment_already_used|credit_limit)/],
  [
    'Wait and repeat',
    /^(?:rate_limited|upstream_(?!rejected|auth_failed|redirect)|state_unavailable|overloaded|shutting_down|request_timeout)/,
  ],
  ['Correct the request', /^(?!blocked|internal_error|upstream_(?:auth_failed|redirect))/],
  ['Ask the operator', /./],
] as const;

/** The client's next step after a refusal. */
export type NextStep = (typeof NEXT_STEPS)[number][0];

/** Returns the client's next step after a refusal with this code. */
export const nextStepOf = (code: string): NextStep =>
  NEXT_STEPS.find(([, codes]) => codes.test(code))?.[0] ?? 'Ask the operator';

/** The properties of a refusal code. */
export interface RefusalKind {
  readonly status: number;
  /** A public sentence that tells the client what to do next. */
  readonly message: string;
  /** A fixed Retry-After. */
  readonly retryAfterSeconds?: number;
}

/**
 * All refusals: stable code, HTTP status, public sentence. Sign-in codes are those of x402's sign-in-with-x extension. Codes that begin
 * with `invalid_exact_svm_` are the reasons of x402's verifiers for `exact` on Solana.
 */
export const REFUSALS = refusals satisfies Record<string, RefusalKind>;

/**
 * A refusal's stable machine-readable code.
 * @useDeclaredType
 */
export type RefusalCode = keyof typeof REFUSALS;
