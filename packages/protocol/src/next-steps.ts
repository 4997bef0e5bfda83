/** What a client does next after a refusal, and the codes that ask for it. The first match decides. */
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

export type NextStep = (typeof NEXT_STEPS)[number][0];

/** What a client does next after a refusal with this code. */
export const nextStepOf = (code: string): NextStep =>
  NEXT_STEPS.find(([, codes]) => codes.test(code))?.[0] ?? 'Ask the operator';
