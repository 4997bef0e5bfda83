import { type Issue, oneLine, type PaymentState, type RefusalCode } from '@asset-gateway/protocol';

/** What goes wrong on this side of the wire. A gateway that sends one of these is none. */
const CLIENT_CODES = [
  /** The signal that the caller gave was aborted. */
  'aborted',
  /** The call took longer than `timeoutMs`. */
  'timeout',
  /** Nothing answered; `cause` has what fetch said. */
  'unreachable',
  /** What answered is no gateway. */
  'not_a_gateway',
  /** The method is not served on the cluster or by the provider that was chosen. */
  'not_served',
  /** The challenge asks for a signature that would be good elsewhere, or for a chain that the wallet cannot sign for. */
  'challenge_rejected',
  /** The wallet did not sign, or not what it was given. */
  'not_signed',
  /** The price is above a cap; nothing was signed. */
  'spending_limit',
  /** Nothing that the gateway takes can be paid by this client. */
  'nothing_payable',
  /** The payment could not be made, as its RPC did not answer or the wallet would not; nothing was sent. `cause` says why. */
  'payment_not_made',
  /** The payment that was made is not the one that was shown; it was not sent. */
  'payment_mismatch',
  /** A payment for this request was sent and answered with 402 again. It counts as spent, and a new one waits ten minutes. */
  'payment_refused',
  /** The answer is larger than this client reads: 16 MiB, or 1 MiB of a refusal. */
  'answer_too_large',
  /** The payment was sent and what became of it is not known: send the same again, never a new one. */
  'payment_unknown',
] as const;

/** What goes wrong on this side of the wire. */
export type ClientCode = (typeof CLIENT_CODES)[number];

/** Why a call failed: a code of the gateway, or one of the client. */
export type ErrorCode = RefusalCode | ClientCode;

/** What an error has beside its code. */
export interface ErrorDetails {
  readonly message: string;
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  readonly issues?: readonly Issue[] | undefined;
  readonly payment?: PaymentState | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly response?: Response | undefined;
  readonly cause?: unknown;
}

/** Every way in which a call fails. `code` says which; `message` says what to do next. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  readonly code: ErrorCode;
  /** HTTP status; nothing where no answer came. */
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  /** Every rule that the input breaks. */
  readonly issues: readonly Issue[];
  /** What has become of the payment, where one was made. */
  readonly payment: PaymentState | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly response: Response | undefined;

  constructor(code: ErrorCode, { message, cause, ...details }: ErrorDetails) {
    super(message, cause === undefined ? {} : { cause });
    this.code = code;
    this.status = details.status;
    this.requestId = details.requestId;
    this.issues = details.issues ?? [];
    this.payment = details.payment;
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
type Members<Name extends string> = { readonly [Each in Name]?: unknown } | null | undefined;

/** Whether a value is the base58 of a transaction's signature. */
export const isSignature = (value: unknown): value is string => typeof value === 'string' && SIGNATURE.test(value);

/** The body of a refusal, its texts one line each. Undefined if it is none. */
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

/** An issue without members of its own; none if one of ours is missing. */
function issueIn(issue: Members<(typeof ISSUE)[number]>): Issue[] {
  const members = ISSUE.map((name) => [name, issue?.[name]] as const);
  return members.every(([, text]) => typeof text === 'string') ? [Object.fromEntries(members) as never] : [];
}

function paymentIn(payment: Members<'state' | 'transaction'>): PaymentState | undefined {
  const state = STATES.find((each) => each === payment?.state);
  const transaction = payment?.transaction;
  return state && { state, ...(isSignature(transaction) && { transaction }) };
}

/** The error for an answer that is none of a gateway; what was paid for can be read in its response. */
export function notAGateway(response: Response, transaction?: string | undefined): GatewayError {
  const { status, url } = response;
  const answers = `${new URL(url || 'unknown:').origin} answers ${status} and is no gateway; `;
  if (!transaction) return new GatewayError('not_a_gateway', { message: `${answers}check baseUrl`, status, response });
  const message = `${answers}transaction ${transaction} paid for what it sent, which is in the error's response`;
  return new GatewayError('not_a_gateway', { message, status, payment: { state: 'settled', transaction }, response });
}

/** The error that an answer other than a success stands for. Its texts are another party's: typed, one line each, and bounded. */
export function errorOf(response: Response, text: string): GatewayError {
  const body = refusalIn(text);
  if (!body) return notAGateway(response);
  const { error, message, requestId, issues, payment, retryAfterSeconds } = body;
  return new GatewayError(error as RefusalCode, {
    message: typeof message === 'string' ? message : 'the gateway gives no reason',
    requestId: typeof requestId === 'string' ? requestId.slice(0, 64) : undefined,
    issues: Array.isArray(issues) ? issues.slice(0, MAX_ISSUES).flatMap(issueIn) : [],
    payment: paymentIn(payment as Members<'state' | 'transaction'>),
    retryAfterSeconds: typeof retryAfterSeconds === 'number' ? retryAfterSeconds : undefined,
    status: response.status,
    response,
  });
}
