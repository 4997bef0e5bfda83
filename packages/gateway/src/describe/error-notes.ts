import type { NextStep, RefusalCode } from '@asset-gateway/protocol';

/** What the page of errors says about a code besides its status and message. */
export interface ErrorNote {
  /** When it happens, and what to do, where the message does not say it. */
  readonly when?: string;
  /** What it uses up, where it differs from its group. */
  readonly uses?: string;
}

/** What the page says about all codes with the same next step. */
export interface ErrorGroup {
  readonly about: string;
  /** What a refusal of the group uses up. */
  readonly uses: string;
}

const NOTHING = 'Nothing.';
const CALLED =
  'On free routes at most the nonce and one call of the budget: sign again with the `Replay-Nonce` of this answer. On paid routes nothing: credit and signature stay valid, and a payment for up to three upstream calls.';

export const ERROR_GROUPS: Readonly<Record<NextStep, ErrorGroup>> = {
  'Sign in again': {
    about: 'Sign the challenge in this answer and send the request once more. Details: [signing.md](signing.md).',
    uses: NOTHING,
  },
  Pay: {
    about:
      'Pay one of the requirements in `accepts` of this answer and send the request once more. The payment that you sent, if any, was not settled and will not be: no money moved.',
    uses: 'Nothing. The refused payment moves no money; make a new one.',
  },
  'Resend the same payment': {
    about:
      'Send the same request with the same payment again, after `Retry-After` if there is one. You are charged once, however often you resend. Do not make a new payment: the first one may still settle.',
    uses: 'Nothing. The payment stays unused.',
  },
  'Use another payment': {
    about: 'The payment cannot buy this answer. Resending it changes nothing.',
    uses: NOTHING,
  },
  'Wait and repeat': {
    about:
      'Wait for `Retry-After`, or a few seconds without it, and send the request again. Send the same payment; sign again if the nonce was used.',
    uses: 'Nothing. The same signature or payment stays valid.',
  },
  'Correct the request': {
    about: 'Change the request as the message says. Resending it unchanged gets the same answer.',
    uses: 'Nothing. The signature stays valid for its URL, and a payment for its request.',
  },
  'Ask the operator': {
    about: 'The client cannot solve this. Quote `requestId`: the operator finds it in the log.',
    uses: CALLED,
  },
};

/** What the page says about single codes. */
export const ERROR_NOTES: Readonly<Partial<Record<RefusalCode, ErrorNote>>> = {
  invalid_siwx_nonce: {
    when: 'A signature buys one answer, unless `SIWX_NONCE=until-expiry`. A restored backup or a restart without Redis after a power cut invalidates earlier nonces too.',
  },
  invalid_siwx_domain_mismatch: {
    when: 'Sign the `domain` of the challenge. If every client gets this, `GATEWAY_BASE_URL` is wrong.',
  },
  payment_rejected: {
    when: 'The facilitator gave a reason outside x402, or this payment has caused three upstream calls without an answer to charge for.',
  },
  no_matching_requirements: { when: 'A requirement is bound to its request and is valid for five minutes.' },
  credit_exhausted: { uses: 'Nothing. The nonce stays valid.' },
  invalid_exact_svm_transaction_simulation_failed: {
    when: "The transaction would fail on the chain: often too little USDC in the payer's account, or an expired blockhash.",
  },
  invalid_exact_svm_network_mismatch: { when: 'The payment names another network than the requirement.' },
  invalid_exact_svm_unsupported_scheme: { when: 'The gateway takes the scheme `exact` only.' },
  invalid_exact_svm_fee_payer_not_managed_by_facilitator: {
    when: 'The fee payer of the requirement is not one that the facilitator signs for.',
  },
  invalid_exact_svm_fee_payer_mismatch: {
    when: 'The first account of the transaction must be `extra.feePayer` of the requirement.',
  },
  invalid_exact_svm_payload_missing_fee_payer: { when: 'The requirement names no `extra.feePayer`.' },
  invalid_exact_svm_payload_transaction_could_not_be_decoded: {
    when: 'The transaction is not base64 of a Solana transaction, or it uses address lookup tables.',
  },
  invalid_exact_svm_payload_excessive_signers: {
    when: 'The transaction needs exactly two signatures: of the fee payer and of the payer.',
  },
  invalid_exact_svm_payload_signature_invalid: { when: "The payer's signature does not match the transaction." },
  invalid_exact_svm_payload_transaction_instructions_length: {
    when: 'Send 4 to 7 instructions: compute limit, compute price, transfer, one memo.',
  },
  invalid_exact_svm_payload_transaction_instructions_compute_limit_instruction: {
    when: 'The first instruction must set the compute unit limit.',
  },
  invalid_exact_svm_payload_transaction_instructions_compute_limit_instruction_too_high: {
    when: 'The compute unit limit may be at most 200,000.',
  },
  invalid_exact_svm_payload_transaction_instructions_compute_price_instruction: {
    when: 'The second instruction must set the compute unit price.',
  },
  invalid_exact_svm_payload_transaction_instructions_compute_price_instruction_too_high: {
    when: 'The compute unit price may be at most 50,000 micro-lamports.',
  },
  invalid_exact_svm_payload_no_transfer_instruction: {
    when: 'The third instruction must be `TransferChecked` of the SPL token program.',
  },
  invalid_exact_svm_payload_transaction_fee_payer_transferring_funds: {
    when: "An instruction uses the fee payer's account, or the authority of the transfer is not the payer.",
  },
  invalid_exact_svm_payload_mint_mismatch: { when: 'The token or its decimals are not those of the requirement.' },
  invalid_exact_svm_payload_recipient_mismatch: {
    when: 'The destination is not the associated token account of `payTo`.',
  },
  invalid_exact_svm_payload_amount_mismatch: { when: 'The amount is not that of a requirement.' },
  invalid_exact_svm_payload_memo_count: { when: 'The transaction needs exactly one memo.' },
  invalid_exact_svm_payload_memo_mismatch: { when: 'The memo is not `extra.memo` of the requirement.' },
  payment_in_progress: {
    when: 'The same payment or signature is being handled in another request, credit has just covered the payment there, or its lost answer is being fetched again.',
    uses: 'Nothing more. The other request decides whether the payment is charged.',
  },
  payment_already_used: {
    when: 'Three cases: the payment or signature belongs to another request; its answer is no longer stored (ten minutes after settlement) or was fetched too often; or a settled transaction was sent without its ticket, which proves who paid. `payment.state` says how far the payment is.',
    uses: 'Nothing more. The earlier request was charged if `payment.state` is `settled`.',
  },
  credit_limit: {
    when: 'A wallet may hold `CREDIT_MAX_USD` of credit on a cluster. Spend some, or buy a smaller bundle.',
    uses: 'Nothing. The payment stays unused.',
  },
  facilitator_unavailable: {
    when: 'The facilitator or the chain does not answer, the fee payer is empty, or the fee budget of the hour is used up.',
  },
  settlement_pending: {
    when: 'The transaction was sent and its confirmation is missing, or an earlier payment of yours for this request is open. The gateway looks for the outcome every two seconds.',
    uses: 'The payment is open: it settles once or never. With `payment.state` `unused`, the payment in this request stays unused.',
  },
  invalid_provider_filter: { uses: NOTHING },
  bad_request: { uses: NOTHING },
  not_found: { uses: NOTHING },
  method_not_allowed: { uses: NOTHING },
  upstream_rejected: {
    when: 'The message is that of the upstream if it sent one. The status is 400, 404 or 422, as the upstream answered.',
    uses: CALLED,
  },
  blocked: { uses: NOTHING },
  internal_error: {
    when: 'A bug in the gateway.',
    uses: 'Perhaps the nonce and a call. Resend the same payment: it is charged once.',
  },
  rate_limited: {
    when: '`scope` says whose share is used up: `group` (your network) or `wallet`; without it the whole budget. On paid routes it also limits concurrent and uncharged calls of one wallet.',
  },
  upstream_unreachable: { uses: CALLED },
  upstream_error: { uses: CALLED },
  upstream_invalid_response: { uses: CALLED },
  upstream_timeout: { uses: CALLED },
  upstream_rate_limited: {
    when: 'All requests to this upstream pause until `Retry-After`.',
    uses: 'Nothing during the pause. The request that started it has used its nonce and a call.',
  },
  upstream_unavailable: { when: 'The gateway makes no call meanwhile, except an occasional probe.' },
  state_unavailable: {
    when: 'Redis or the database does not answer.',
    uses: 'Nothing reaches an upstream. A payment that was being settled is answered when you resend it.',
  },
};
