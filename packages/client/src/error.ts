import { type Issue, oneLine, type PaymentState, type RefusalCode } from '@asset-gateway/protocol/wire';

/** The client's own codes. An answer that carries one of these is not from a gateway. */
const CLIENT_CODES = [
  /** The caller's signal was aborted. */
  'aborted',
  /** The call took longer than `timeoutMs`. */
  'timeout',
  /** Nothing answered; `cause` is the error of fetch. */
  'unreachable',
  /** The answer is not from a gateway. */
  'not_a_gateway',
  /** The chosen cluster or provider does not serve the method. */
  'not_served',
  /** The challenge is for another place, or for a chain that the wallet cannot sign for. */
  'challenge_rejected',
  /** The wallet did not sign, or signed something else. */
  'not_signed',
  /** The price is above a cap; nothing was signed. */
  'spending_limit',
  /** This client cannot pay any of the gateway's requirements. */
  'nothing_payable',
  /** The wallet holds less USDC than the payment needs; nothing was signed. `funds` says how much it needs and holds. */
  'insufficient_funds',
  /** The RPC or the wallet failed, so no payment was sent. `cause` says why. */
  'payment_not_made',
  /** The payment differs from the approved offer; it was not sent. */
  'payment_mismatch',
  /** A payment was sent and answered with 402 again. It counts as spent until it can no longer settle, about a minute. */
  'payment_refused',
  /** The answer is larger than 16 MiB, or the refusal larger than 1 MiB. */
  'answer_too_large',
  /** The payment was sent and its outcome is unknown: resend the same one, never a new one. */
  'payment_unknown',
] as const;

/**
 * Why a call failed, if the client found out and not the gateway.
 * @useDeclaredType
 */
export type ClientCode = (typeof CLIENT_CODES)[number];

/** Why a call failed: a refusal code of the gateway, or a code of the client. */
export type ErrorCode = RefusalCode | ClientCode;

/** The money of a wallet that cannot make a payment, in millionths of a dollar in USDC. */
export interface WalletFunds {
  /** The network of the payment (CAIP-2). */
  readonly network: string;
  /** The amount of the payment. */
  readonly neededMicros: number;
  /** What the wallet holds. */
  readonly balanceMicros: number;
}

/** The fields of an error besides its code. `GatewayError` describes them. */
export interface ErrorDetails
  extends Partial<
    Pick<GatewayError, 'status' | 'requestId' | 'issues' | 'payment' | 'funds' | 'retryAfterSeconds' | 'response'>
  > {
  /** What the caller does next. */
  readonly message: string;
  /** The error that led to this one. */
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
  /** Names the request in the operator's log. */
  readonly requestId: string | undefined;
  /** The rules that the input breaks; empty for other failures. */
  readonly issues: readonly Issue[];
  /** The state of the payment, if one was made. */
  readonly payment: PaymentState | undefined;
  /** With `insufficient_funds`: how much the payment needs and the wallet holds. */
  readonly funds: WalletFunds | undefined;
  /** How long the gateway asks the client to wait. */
  readonly retryAfterSeconds: number | undefined;
  /** The answer, if there is one. Its body may have been read. */
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
const SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;
const STATES = ['unused', 'in_progress', 'pending', 'refused', 'settled'] as const;
const ISSUE = ['in', 'name', 'rule', 'message'] as const;

type Refused = { readonly [Name in keyof ErrorDetails | 'error']?: unknown };
type UnknownMembers<Name extends string> = { readonly [Each in Name]?: unknown } | null | undefined;

/** Whether a value is the base58 of a transaction's signature. */
export const isSignature = (value: unknown): value is string => typeof value === 'string' && SIGNATURE.test(value);

/** The body of a refusal, each text on one line; undefined if the body is not a refusal. */
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

/** An issue with its known members only; empty if one is missing. */
function issueIn(issue: UnknownMembers<(typeof ISSUE)[number]>): Issue[] {
  const members = ISSUE.map((name) => [name, issue?.[name]] as const);
  return members.every(([, text]) => typeof text === 'string') ? [Object.fromEntries(members) as never] : [];
}

function paymentIn(payment: UnknownMembers<'state' | 'transaction'>): PaymentState | undefined {
  const state = STATES.find((each) => each === payment?.state);
  const transaction = payment?.transaction;
  return state && { state, ...(isSignature(transaction) && { transaction }) };
}

/** The error for an answer that is not from a gateway. Its `response` holds what was paid for. */
export function notAGateway(response: Response, transaction?: string | undefined): GatewayError {
  const { status, url } = response;
  const answers = `${new URL(url || 'unknown:').origin} answers ${status} and is not a gateway; `;
  if (!transaction) return new GatewayError('not_a_gateway', { message: `${answers}check baseUrl`, status, response });
  const message = `${answers}transaction ${transaction} paid for its answer, which is in the error's response`;
  return new GatewayError('not_a_gateway', { message, status, payment: { state: 'settled', transaction }, response });
}

/**
 * Makes the error for an answer that is no success. Texts of the gateway are shortened and put on one line.
 * @param response the answer
 * @param text its body
 * @returns an error with the gateway's code, or `not_a_gateway` if the body is no refusal of a gateway
 */
export function errorOf(response: Response, text: string): GatewayError {
  const body = refusalIn(text);
  if (!body) return notAGateway(response);
  const { error, message, requestId, issues, payment, retryAfterSeconds } = body;
  return new GatewayError(error as RefusalCode, {
    message: typeof message === 'string' ? message : 'the gateway gives no reason',
    requestId: typeof requestId === 'string' ? requestId.slice(0, 64) : undefined,
    issues: Array.isArray(issues) ? issues.slice(0, MAX_ISSUES).flatMap(issueIn) : [],
    payment: paymentIn(payment as UnknownMembers<'state' | 'transaction'>),
    retryAfterSeconds: typeof retryAfterSeconds === 'number' ? retryAfterSeconds : undefined,
    status: response.status,
    response,
  });
}
