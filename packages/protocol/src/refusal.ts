import { REFUSALS, type RefusalCode, type RefusalKind } from './refusals.ts';

/** A broken rule of a request. Never contains the value sent. */
export interface Issue {
  readonly in: 'path' | 'query' | 'body';
  readonly name: string;
  readonly rule: string;
  readonly message: string;
}

/** The state of a payment. Resend `unused` and `in_progress` ones; never make a new payment instead. */
export interface PaymentState {
  readonly state: 'unused' | 'in_progress' | 'pending' | 'refused' | 'settled';
  /** Base58 signature, if known. */
  readonly transaction?: string;
}

/** Optional details of a refusal. */
export interface RefusalDetails {
  readonly payment?: PaymentState;
  /** Replaces the code's status, for an upstream's own 4xx status. */
  readonly status?: number;
  /** Replaces the code's sentence. */
  readonly message?: string;
  readonly issues?: readonly Issue[];
  readonly retryAfterSeconds?: number;
  /** Whose share is used up, if the budget itself is not. */
  readonly scope?: 'group' | 'wallet';
  readonly headers?: Readonly<Record<string, string>>;
  /** For the log only: the failed check or fault. */
  readonly reason?: string;
}

/** V8's limit of stack frames per error. */
const engine: ErrorConstructor & { stackTraceLimit?: number | undefined } = Error;

/** Thrown to refuse a request; `refuse` in stages/envelope.ts turns it into a response. */
export class Refusal extends Error {
  readonly code: RefusalCode;
  readonly details: RefusalDetails;

  constructor(code: RefusalCode, details: RefusalDetails = {}) {
    // A refusal needs no stack trace, which would double its cost.
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

/** The JSON body of a refusal: `ok error message requestId`, then its public details. */
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
