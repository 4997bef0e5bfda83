import { REFUSALS, type RefusalCode, type RefusalKind } from './refusals.ts';

/** One broken rule of a request: where, which, and what is allowed; never the value that was sent. */
export interface Issue {
  readonly in: 'path' | 'query' | 'body';
  readonly name: string;
  readonly rule: string;
  readonly message: string;
}

/** What has become of a payment: `unused` and `in_progress` ones are to be sent again, never made anew. */
export interface PaymentState {
  readonly state: 'unused' | 'in_progress' | 'pending' | 'refused' | 'settled';
  /** base58 signature, when it is known. */
  readonly transaction?: string;
}

/** What a refusal may add to its code. */
export interface RefusalDetails {
  readonly payment?: PaymentState;
  /** Replaces the status of the code, where an upstream's own 4xx status is kept. */
  readonly status?: number;
  /** Replaces the public sentence. */
  readonly message?: string;
  readonly issues?: readonly Issue[];
  readonly retryAfterSeconds?: number;
  /** Whose share of the budget is used up, where that is not all of it. */
  readonly scope?: 'group' | 'wallet';
  readonly headers?: Readonly<Record<string, string>>;
  /** For the log only: which check or fault it was. */
  readonly reason?: string;
}

/** Where V8 keeps how many calls an error notes. */
const engine: ErrorConstructor & { stackTraceLimit?: number | undefined } = Error;

/** Thrown wherever a request is refused; one place turns it into a response. */
export class Refusal extends Error {
  readonly code: RefusalCode;
  readonly details: RefusalDetails;

  constructor(code: RefusalCode, details: RefusalDetails = {}) {
    // Where an answer comes from is no fault to be traced, and noting it would cost as much as the rest of the refusal.
    const { stackTraceLimit } = engine;
    engine.stackTraceLimit = 0;
    super(details.reason ?? code);
    engine.stackTraceLimit = stackTraceLimit;
    this.name = 'Refusal';
    this.code = code;
    this.details = details;
  }

  get status(): number {
    return this.details.status ?? REFUSALS[this.code].status;
  }

  get retryAfterSeconds(): number | undefined {
    const kind: RefusalKind = REFUSALS[this.code];
    return this.details.retryAfterSeconds ?? kind.retryAfterSeconds;
  }
}

/** The JSON body of a refusal: `ok error message requestId`, then whatever details are public. */
export function refusalBody(refusal: Refusal, requestId: string, state?: PaymentState): Record<string, unknown> {
  const { message, issues, scope, payment = state } = refusal.details;
  const { retryAfterSeconds } = refusal;
  return {
    ok: false,
    error: refusal.code,
    message: message ?? REFUSALS[refusal.code].message,
    requestId,
    ...(issues && { issues }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    ...(scope && { scope }),
    ...(payment && { payment }),
  };
}
