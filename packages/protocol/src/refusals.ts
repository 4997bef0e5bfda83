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

/** The properties of a refusal code. */
export interface RefusalKind {
  readonly status: number;
  /** One public sentence that tells the client what to do next. */
  readonly message: string;
  /** A fixed Retry-After. */
  readonly retryAfterSeconds?: number;
}

const refusal = (status: number, message: string, retryAfterSeconds?: number): RefusalKind =>
  retryAfterSeconds === undefined ? { status, message } : { status, message, retryAfterSeconds };

/** The reasons of x402's verifiers for the scheme `exact` on Solana. */
const refusedPayment = refusal(402, 'The payment does not match the requirement; pay the fresh one in `accepts`.');

/** All refusals: stable code, HTTP status, public sentence. The sign-in codes are those of x402's sign-in-with-x extension. */
export const REFUSALS = {
  sign_in_required: refusal(402, 'Sign the challenge with a Solana wallet and send it in SIGN-IN-WITH-X.'),
  invalid_siwx_header: refusal(402, 'SIGN-IN-WITH-X is not a well-formed sign-in; sign the fresh challenge.'),
  invalid_siwx_expired: refusal(402, 'The sign-in has expired; sign the fresh challenge.'),
  invalid_siwx_nonce: refusal(402, 'The nonce was used before or was not issued here; sign the fresh challenge.'),
  invalid_siwx_domain_mismatch: refusal(402, 'The sign-in names another domain; sign the fresh challenge.'),
  invalid_siwx_uri_mismatch: refusal(402, 'The sign-in names another URL; sign the fresh challenge.'),
  invalid_siwx_issued_at_too_old: refusal(402, 'issuedAt is too old; copy it from the fresh challenge.'),
  invalid_siwx_issued_at_in_future: refusal(402, 'issuedAt is in the future; copy it from the fresh challenge.'),
  invalid_siwx_not_yet_valid: refusal(402, 'notBefore is in the future; sign the fresh challenge without it.'),
  invalid_siwx_unsupported_chain: refusal(
    402,
    'Sign with ed25519 for one of the supportedChains of the fresh challenge.',
  ),
  invalid_siwx_malformed_signature: refusal(
    402,
    'The address must be base58 of 32 bytes, the signature base58 of 64 bytes; sign the fresh challenge.',
  ),
  invalid_siwx_signature: refusal(
    402,
    'The signature does not match the address and the text (see /llms.txt or docs/signing.md); sign the fresh challenge.',
  ),

  payment_required: refusal(402, 'Pay a requirement in `accepts` and resend the request with PAYMENT-SIGNATURE.'),
  payment_malformed: refusal(
    402,
    'The payment header is not a well-formed payment; pay a fresh requirement in `accepts`.',
  ),
  no_matching_requirements: refusal(
    402,
    'The payment is for another request, price or time; pay a fresh requirement in `accepts`.',
  ),
  credit_exhausted: refusal(
    402,
    "The wallet's credit is below the price; buy credit or pay for this call with a requirement in `accepts`.",
  ),
  payment_rejected: refusal(402, 'The payment was rejected; pay a fresh requirement in `accepts`.'),
  invalid_exact_svm_unsupported_scheme: refusedPayment,
  invalid_exact_svm_network_mismatch: refusedPayment,
  invalid_exact_svm_fee_payer_not_managed_by_facilitator: refusedPayment,
  invalid_exact_svm_fee_payer_mismatch: refusedPayment,
  invalid_exact_svm_transaction_simulation_failed: refusedPayment,
  invalid_exact_svm_payload_missing_fee_payer: refusedPayment,
  invalid_exact_svm_payload_transaction_could_not_be_decoded: refusedPayment,
  invalid_exact_svm_payload_excessive_signers: refusedPayment,
  invalid_exact_svm_payload_signature_invalid: refusedPayment,
  invalid_exact_svm_payload_transaction_instructions_length: refusedPayment,
  invalid_exact_svm_payload_transaction_instructions_compute_limit_instruction: refusedPayment,
  invalid_exact_svm_payload_transaction_instructions_compute_limit_instruction_too_high: refusedPayment,
  invalid_exact_svm_payload_transaction_instructions_compute_price_instruction: refusedPayment,
  invalid_exact_svm_payload_transaction_instructions_compute_price_instruction_too_high: refusedPayment,
  invalid_exact_svm_payload_no_transfer_instruction: refusedPayment,
  invalid_exact_svm_payload_transaction_fee_payer_transferring_funds: refusedPayment,
  invalid_exact_svm_payload_mint_mismatch: refusedPayment,
  invalid_exact_svm_payload_recipient_mismatch: refusedPayment,
  invalid_exact_svm_payload_amount_mismatch: refusedPayment,
  invalid_exact_svm_payload_unknown_fourth_instruction: refusedPayment,
  invalid_exact_svm_payload_unknown_fifth_instruction: refusedPayment,
  invalid_exact_svm_payload_unknown_sixth_instruction: refusedPayment,
  invalid_exact_svm_payload_unknown_seventh_instruction: refusedPayment,
  invalid_exact_svm_payload_unknown_optional_instruction: refusedPayment,
  invalid_exact_svm_payload_memo_count: refusedPayment,
  invalid_exact_svm_payload_memo_mismatch: refusedPayment,

  payment_in_progress: refusal(409, 'This payment is being settled; resend the same request after Retry-After.', 1),
  payment_already_used: refusal(409, 'This payment or signature was already used; make a new one for this request.'),
  credit_limit: refusal(
    409,
    "The purchase would exceed the wallet's credit limit; nothing was paid. Spend some credit first.",
  ),
  settlement_pending: refusal(
    503,
    'The outcome of the payment is not known yet; resend the same request and payment after Retry-After.',
    2,
  ),
  facilitator_unavailable: refusal(
    503,
    'Payments cannot be checked right now; resend the same payment after Retry-After.',
    2,
  ),
  facilitator_invalid_response: refusal(
    502,
    'The facilitator returned an invalid response; resend the same payment later.',
  ),

  invalid_request: refusal(400, 'The request breaks the rules listed in `issues`; correct it and resend it.'),
  invalid_provider_filter: refusal(400, 'The provider filter must be one of the values listed in `issues`.'),
  invalid_json: refusal(400, 'The body must be JSON in UTF-8, nested at most 32 deep.'),
  bad_request: refusal(400, 'The request target or the Host header is invalid; send a plain path to this host.'),
  not_found: refusal(404, 'This route does not exist; GET /v1/catalog lists all routes.'),
  method_not_allowed: refusal(405, 'The path does not take this method; see the Allow header.'),
  request_timeout: refusal(408, 'The request did not arrive in time; resend it.'),
  body_too_large: refusal(413, 'The body may have at most 64 KiB.'),
  uri_too_long: refusal(414, 'The request target may have at most 8 KiB.'),
  unsupported_media_type: refusal(415, 'Send the body as application/json, without a content encoding.'),
  headers_too_large: refusal(431, 'The headers may have at most 16 KiB.'),

  blocked: refusal(
    403,
    'This gateway does not serve your wallet or address; contact its operator and quote requestId.',
  ),
  rate_limited: refusal(429, 'The shared budget is used up; retry after Retry-After.'),
  upstream_rejected: refusal(422, 'The upstream rejected the request.'),
  upstream_error: refusal(502, 'The upstream failed; try again later.'),
  upstream_auth_failed: refusal(502, "The upstream rejects this gateway's key; try again later."),
  upstream_unreachable: refusal(502, 'The upstream cannot be reached; try again later.'),
  upstream_redirect: refusal(502, 'The upstream answered with a redirect, which the gateway does not follow.'),
  upstream_invalid_response: refusal(502, 'The upstream returned an invalid response; try again later.'),
  upstream_rate_limited: refusal(503, 'The upstream is rate-limiting this gateway; retry after Retry-After.'),
  upstream_unavailable: refusal(503, 'The upstream has failed several times in a row; retry after Retry-After.'),
  upstream_timeout: refusal(504, 'The upstream did not answer in time; try again later.'),
  state_unavailable: refusal(503, 'The state store is unavailable; retry after Retry-After.', 2),
  overloaded: refusal(503, 'The gateway is at capacity; retry after Retry-After.', 1),
  shutting_down: refusal(503, 'This node is shutting down; retry after Retry-After.', 1),
  internal_error: refusal(500, 'Internal error; quote requestId to the operator.'),
} satisfies Record<string, RefusalKind>;

/** A stable machine-readable reason for a refusal. */
export type RefusalCode = keyof typeof REFUSALS;
