import type { Issue, PaymentState, RefusalCode } from '@asset-gateway/protocol';

/** What goes wrong on this side of the wire. */
export type ClientCode =
  /** The signal that the caller gave was aborted. */
  | 'aborted'
  /** The call took longer than `timeoutMs`. */
  | 'timeout'
  /** Nothing answered; `cause` has what fetch said. */
  | 'unreachable'
  /** What answered is no gateway. */
  | 'not_a_gateway'
  /** The method is not served on the cluster or by the provider that was chosen. */
  | 'not_served'
  /** The challenge asks for a signature that would be good elsewhere, or for a chain that the wallet cannot sign for. */
  | 'challenge_rejected'
  /** The wallet did not sign, or not what it was given. */
  | 'not_signed'
  /** The price is above a cap; nothing was signed. */
  | 'spending_limit'
  /** Nothing that the gateway takes can be paid by this client. */
  | 'nothing_payable'
  /** The payment could not be made, as its RPC did not answer or the wallet would not; nothing was sent. `cause` says why. */
  | 'payment_not_made'
  /** The payment that was made is not the one that was shown; it was not sent. */
  | 'payment_mismatch'
  /** The payment was sent and what became of it is not known: send the same again, never a new one. */
  | 'payment_unknown';

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

/** The body of a refusal, as far as it is one. */
interface RefusalBody extends ErrorDetails {
  readonly ok: false;
  readonly error: RefusalCode;
}

function refusalIn(text: string): RefusalBody | undefined {
  try {
    const body = JSON.parse(text) as Partial<RefusalBody> | null;
    return body?.ok === false && typeof body.error === 'string' ? (body as RefusalBody) : undefined;
  } catch {
    return undefined;
  }
}

/** The error that an answer stands for which is no success. */
export function errorOf(response: Response, text: string): GatewayError {
  const { status } = response;
  const body = refusalIn(text);
  if (!body) {
    return new GatewayError('not_a_gateway', {
      message: `${new URL(response.url || 'unknown:').origin} answers ${status} and is no gateway; check baseUrl`,
      status,
      response,
    });
  }
  const { error, message, requestId, issues, payment, retryAfterSeconds } = body;
  return new GatewayError(error, { message, requestId, issues, payment, retryAfterSeconds, status, response });
}
