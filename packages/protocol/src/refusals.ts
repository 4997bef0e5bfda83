/** One way to say no. */
export interface RefusalKind {
  readonly status: number;
  /** One public sentence that tells the caller what to do next. */
  readonly message: string;
  /** When it is worth asking again, where that is always the same. */
  readonly retryAfterSeconds?: number;
}

const signIn = (message: string): RefusalKind => ({ status: 402, message });

/** The reasons of x402's verifiers for the scheme `exact` on Solana. */
const refusedPayment: RefusalKind = {
  status: 402,
  message: 'The payment does not fit the requirement; pay by the fresh one.',
};

/**
 * Every way to say no: the stable code, its HTTP status and its public sentence.
 * The codes of sign-in are the vocabulary of the x402 sign-in-with-x extension.
 */
export const REFUSALS = {
  sign_in_required: signIn('Sign the challenge with a Solana wallet and send it in SIGN-IN-WITH-X.'),
  invalid_siwx_header: signIn('SIGN-IN-WITH-X is not one well-formed sign-in payload; sign the fresh challenge.'),
  invalid_siwx_expired: signIn('The sign-in has expired; sign the fresh challenge.'),
  invalid_siwx_nonce: signIn('The nonce was used before or was not issued here; sign the fresh challenge.'),
  invalid_siwx_domain_mismatch: signIn('The sign-in names another domain; sign the fresh challenge.'),
  invalid_siwx_uri_mismatch: signIn('The sign-in names another URL; sign the fresh challenge.'),
  invalid_siwx_issued_at_too_old: signIn('issuedAt is too old; copy it from the fresh challenge.'),
  invalid_siwx_issued_at_in_future: signIn('issuedAt lies in the future; copy it from the fresh challenge.'),
  invalid_siwx_not_yet_valid: signIn('notBefore lies in the future; sign the fresh challenge without it.'),
  invalid_siwx_unsupported_chain: signIn('Sign with ed25519 for one of the supportedChains of the fresh challenge.'),
  invalid_siwx_malformed_signature: signIn(
    'Address and signature are base58 of 32 and 64 bytes; sign the fresh challenge.',
  ),
  invalid_siwx_signature: signIn(
    'The signature does not match the address and the text, whose lines /llms.txt and docs/signing.md show; sign the fresh challenge.',
  ),

  payment_required: {
    status: 402,
    message: 'Pay by the requirement in accepts and send the same request with PAYMENT-SIGNATURE.',
  },
  payment_malformed: {
    status: 402,
    message: 'The payment header is not one well-formed payment; pay by the fresh requirement.',
  },
  no_matching_requirements: {
    status: 402,
    message: 'The payment was made for another request, price or time; pay by the fresh requirement.',
  },
  credit_exhausted: {
    status: 402,
    message:
      'The credit of this wallet is below the price; buy some by a requirement in accepts, or pay for this call.',
  },
  payment_rejected: { status: 402, message: 'The payment was rejected; pay by the fresh requirement.' },
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

  payment_in_progress: {
    status: 409,
    retryAfterSeconds: 1,
    message: 'This payment is being settled; send the same request again after Retry-After.',
  },
  payment_already_used: {
    status: 409,
    message: 'This payment has bought its answer; make a new one for another request.',
  },
  credit_limit: {
    status: 409,
    message: 'The wallet would have more credit than it may; nothing was paid. Spend some of it first.',
  },
  settlement_pending: {
    status: 503,
    retryAfterSeconds: 2,
    message:
      'The outcome of the payment is not known yet; send the same request with the same payment after Retry-After.',
  },
  facilitator_unavailable: {
    status: 503,
    retryAfterSeconds: 2,
    message: 'Payments cannot be checked at the moment; send the same payment again after Retry-After.',
  },
  facilitator_invalid_response: {
    status: 502,
    message: 'The facilitator gave an unusable answer; send the same payment again later.',
  },

  invalid_request: {
    status: 400,
    message: 'The request breaks the rules listed in issues; correct it and send it again.',
  },
  invalid_provider_filter: { status: 400, message: 'The provider filter takes one of the values listed in issues.' },
  invalid_json: { status: 400, message: 'The body must be JSON in UTF-8, nested at most 32 deep.' },
  bad_request: {
    status: 400,
    message: 'The request line or the Host header is not acceptable; send a plain path to this host.',
  },
  not_found: { status: 404, message: 'There is no such route here; GET /v1/catalog lists them all.' },
  method_not_allowed: { status: 405, message: 'This path takes the methods that the Allow header lists.' },
  request_timeout: { status: 408, message: 'The request did not arrive in time; send it again.' },
  body_too_large: { status: 413, message: 'The body may have at most 64 KiB.' },
  uri_too_long: { status: 414, message: 'The request target may have at most 8 KiB.' },
  unsupported_media_type: { status: 415, message: 'Send the body as application/json, without a content encoding.' },
  headers_too_large: { status: 431, message: 'The headers may have at most 16 KiB.' },

  blocked: {
    status: 403,
    message: 'This gateway does not serve this wallet or this address; ask its operator, and quote requestId.',
  },
  rate_limited: {
    status: 429,
    message: 'The shared budget is used up; send the same request again after Retry-After.',
  },
  upstream_rejected: { status: 422, message: 'The upstream rejected the request.' },
  upstream_error: { status: 502, message: 'The upstream failed; try again later.' },
  upstream_auth_failed: {
    status: 502,
    message: 'The upstream does not accept this gateway at the moment; try again later.',
  },
  upstream_unreachable: { status: 502, message: 'The upstream cannot be reached; try again later.' },
  upstream_redirect: { status: 502, message: 'The upstream answered with a redirect, which is never followed.' },
  upstream_invalid_response: { status: 502, message: 'The upstream gave an unusable answer; try again later.' },
  upstream_rate_limited: {
    status: 503,
    message: 'The upstream asks for a pause; send the same request again after Retry-After.',
  },
  upstream_unavailable: {
    status: 503,
    message: 'The upstream has failed several times in a row; send the same request again after Retry-After.',
  },
  upstream_timeout: { status: 504, message: 'The upstream did not answer in time; try again later.' },
  state_unavailable: {
    status: 503,
    retryAfterSeconds: 2,
    message: 'The state store is unavailable; try again after Retry-After.',
  },
  overloaded: {
    status: 503,
    retryAfterSeconds: 1,
    message: 'Too much is in flight; send the same request again after Retry-After.',
  },
  shutting_down: {
    status: 503,
    retryAfterSeconds: 1,
    message: 'This node is shutting down; send the same request again after Retry-After.',
  },
  internal_error: { status: 500, message: 'Something went wrong on our side; quote requestId to the operator.' },
} as const satisfies Record<string, RefusalKind>;

/** A stable machine-readable reason for a refusal. */
export type RefusalCode = keyof typeof REFUSALS;
