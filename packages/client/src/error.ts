import {
  type Issue,
  oneLine,
  type PaymentState,
  type RefusalCode,
  SIGNATURE_PATTERN,
} from '@asset-gateway/protocol/wire';

/** The client's own codes. An answer with such a code is not from a gateway. */
const CLIENT_CODES = [
  /** The caller's signal aborted the call. */
  'aborted',
  /** The call took longer than `timeoutMs`. */
  'timeout',
  /** No answer arrived. `cause` is the error of `fetch`. */
  'unreachable',
  /** The answer is not from a gateway. */
  'not_a_gateway',
  /** The chosen cluster or provider does not serve the method. */
  'not_served',
  /** The challenge is for another URL, or for a chain that the wallet cannot sign for. */
  'challenge_rejected',
  /** The wallet did not sign, or signed something else. */
  'not_signed',
  /** The price is above a cap. Nothing was signed. */
  'spending_limit',
  /** The gateway offers no payment requirement that this client can pay. */
  'nothing_payable',
  /** The wallet holds less USDC than the payment needs, so nothing was signed. `funds` has both amounts. */
  'insufficient_funds',
  /** The RPC or the wallet failed, so no payment was sent. `cause` says why. */
  'payment_not_made',
  /** The payment differs from the approved offer. It was not sent. */
  'payment_mismatch',
  /**
   * The gateway answered a payment with another 402. The payment counts as spent until it can no longer settle, about a
   * minute.
   */
  'payment_refused',
  /** The answer is larger than 32 MiB, or the refusal is larger than 1 MiB. */
  'answer_too_large',
  /** The payment was sent and its outcome is unknown. Resend the same payment, never a new one. */
  'payment_unknown',
] as const;

/**
 * Why a call failed, as found by the client, not the gateway.
 * @useDeclaredType
 */
export type ClientCode = (typeof CLIENT_CODES)[number];

/** Why a call failed: a refusal code of the gateway, or a code of the client. */
export type ErrorCode = RefusalCode | ClientCode;

/** The USDC of a wallet that cannot make a payment, in millionths of a dollar. */
export interface WalletFunds {
  /** The network of the payment (CAIP-2). */
  readonly network: string;
  /** The amount of the payment. */
  readonly neededMicros: number;
  /** The wallet's balance. */
  readonly balanceMicros: number;
}

/** The fields of an error besides its code. `GatewayError` describes them. */
export interface ErrorDetails
  extends Partial<
    Pick<GatewayError, 'status' | 'requestId' | 'issues' | 'payment' | 'funds' | 'retryAfterSeconds' | 'response'>
  > {
  /** Tells the caller what to do next. */
  readonly message: string;
  /** The cause of this error. */
  readonly cause?: unknown;
}

/**
 * The error of a failed call. `code` names the failure, and `message` says what to do next.
 * @example
 * const result = await client.rpc.getBalance(account).catch((error) => {
 *   if (error instanceof GatewayError && error.code === 'insufficient_funds') return askForFunds(error.funds);
 *   throw error;
 * });
 */
export class GatewayError extends Error {
  /** The same for all errors of the client. */
  override readonly name = 'GatewayError';
  /** Why the call failed. */
  readonly code: ErrorCode;
  /** The HTTP status; undefined without an answer. */
  readonly status: number | undefined;
  /** Identifies the request in the operator's log. */
  readonly requestId: string | undefined;
  /** The rules that the input violates. Empty for other failures. */
  readonly issues: readonly Issue[];
  /** The state of the payment, if one was made. */
  readonly payment: PaymentState | undefined;
  /** For `insufficient_funds`: the USDC that the payment needs and the wallet holds. */
  readonly funds: WalletFunds | undefined;
  /** How many seconds the gateway asks the client to wait. */
  readonly retryAfterSeconds: number | undefined;
  /** The answer, if any. Its body may have been read. */
  readonly response: Response | undefined;

  /**
   * Makes an error, for a payer or a ledger of your own.
   * @param code why the call failed
   * @param details the message and the other fields
   */
  constructor(code: ErrorCode, { message, cause, ...details }: ErrorDetails) {
    super(message, cause === undefined ? {} : { cause });
    this.code = code;
    this.status = details.status;
    this.requestId = details.requestId;
    this.issues = details.issues ?? [];
    this.payment = details.payment;
    this.funds = details.funds;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.response = details.response;
  }
}

const MAX_TEXT = 1_000;
const MAX_ISSUES = 20;
const CODE = /^[a-z][a-z0-9_]{0,63}$/;
const STATES = ['unused', 'in_progress', 'pending', 'refused', 'settled'] as const;
const ISSUE = ['in', 'name', 'rule', 'message'] as const;

type Refused = { readonly [Name in keyof ErrorDetails | 'error']?: unknown };
type UnknownMembers<Name extends string> = { readonly [Each in Name]?: unknown } | null | undefined;

/** Whether a value is the base58 of a transaction's signature. */
export const isSignature = (value: unknown): value is string =>
  typeof value === 'string' && SIGNATURE_PATTERN.test(value);

/** Returns a refusal's body, with each text on one line; undefined if the body is not a refusal. */
function refusalIn(text: string): (Refused & { readonly error: string }) | undefined {
  try {
    const body = JSON.parse(text, (_, value) => (typeof value === 'string' ? oneLine(value, MAX_TEXT) : value));
    const { ok, error } = body ?? {};
    const isCode = typeof error === 'string' && CODE.test(error) && !CLIENT_CODES.some((code) => code === error);
    return ok === false && isCode ? body : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the known members of an issue; empty if one is missing. */
function issueIn(issue: UnknownMembers<(typeof ISSUE)[number]>): Issue[] {
  const members = ISSUE.map((name) => [name, issue?.[name]] as const);
  return members.every(([, text]) => typeof text === 'string') ? [Object.fromEntries(members) as never] : [];
}

function paymentIn(payment: UnknownMembers<'state' | 'transaction'>): PaymentState | undefined {
  const state = STATES.find((each) => each === payment?.state);
  const transaction = payment?.transaction;
  return state && { state, ...(isSignature(transaction) && { transaction }) };
}

/** Returns the error for an answer that is not from a gateway. If you paid for the answer, read it from the error's `response`. */
export function notAGateway(response: Response, transaction?: string | undefined): GatewayError {
  const { status, url } = response;
  const answers = `${new URL(url || 'unknown:').origin} answers ${status} and is not a gateway; `;
  if (!transaction) return new GatewayError('not_a_gateway', { message: `${answers}check baseUrl`, status, response });
  const message = `${answers}transaction ${transaction} paid for its answer, which is in the error's response`;
  return new GatewayError('not_a_gateway', { message, status, payment: { state: 'settled', transaction }, response });
}

/**
 * Makes the error for an unsuccessful answer. Shortens the gateway's texts and puts each on one line.
 * @param response the answer
 * @param text its body
 * @param hint a sentence to add to the gateway's message
 * @returns an error with the gateway's code, or `not_a_gateway` if the body is not a gateway's refusal
 */
export function errorOf(response: Response, text: string, hint = ''): GatewayError {
  const body = refusalIn(text);
  if (!body) return notAGateway(response);
  const { error, message, requestId, issues, payment, retryAfterSeconds } = body;
  return new GatewayError(error as RefusalCode, {
    message: `${typeof message === 'string' ? message : 'the gateway gives no reason'}${hint}`,
    requestId: typeof requestId === 'string' ? requestId.slice(0, 64) : undefined,
    issues: Array.isArray(issues) ? issues.slice(0, MAX_ISSUES).flatMap(issueIn) : [],
    payment: paymentIn(payment as UnknownMembers<'state' | 'transaction'>),
    retryAfterSeconds: typeof retryAfterSeconds === 'number' ? retryAfterSeconds : undefined,
    status: response.status,
    response,
  });
}
