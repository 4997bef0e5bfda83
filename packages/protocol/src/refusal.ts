import { REFUSALS, type RefusalCode, type RefusalKind } from './refusals.ts';

/** A rule that a request violates. Never contains the sent value. */
export interface Issue {
  /** The part of the request. */
  readonly in: 'path' | 'query' | 'body';
  /** The parameter's name. */
  readonly name: string;
  /** The keyword of JSON Schema, or the name of one of our rules. */
  readonly rule: string;
  /** What a valid value looks like. */
  readonly message: string;
}

/** The state of a payment. */
export interface PaymentState {
  /**
   * After `unused`, `in_progress` and `pending`, resend the same payment and never make a new one in its place. A `refused` payment moved
   * no money and bought nothing. A `settled` payment moved the money.
   */
  readonly state: 'unused' | 'in_progress' | 'pending' | 'refused' | 'settled';
  /** The base58 signature of the payment's transaction, if known. */
  readonly transaction?: string;
}

/** Optional details of a refusal. */
export interface RefusalDetails {
  /** The state of the request's payment. */
  readonly payment?: PaymentState;
  /** Replaces the code's status, for a 4xx status of an upstream. */
  readonly status?: number;
  /** Replaces the code's sentence. */
  readonly message?: string;
  /** The rules that the request violates. */
  readonly issues?: readonly Issue[];
  /** Replaces the code's own Retry-After. */
  readonly retryAfterSeconds?: number;
  /** The owner of the used-up share. Undefined if the budget itself is used up. */
  readonly scope?: 'group' | 'wallet';
  /** Additional headers of the answer. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The failed check or fault, for the log only. */
  readonly reason?: string;
}

/** V8's limit of stack frames per error. */
const engine: ErrorConstructor & { stackTraceLimit?: number | undefined } = Error;

/** Thrown to refuse a request. `refuse` in stages/envelope.ts turns it into a response. */
export class Refusal extends Error {
  /** The code that the client gets. */
  readonly code: RefusalCode;
  /** Further facts for the answer and the log. */
  readonly details: RefusalDetails;

  constructor(code: RefusalCode, details: RefusalDetails = {}) {
    // A stack trace would double a refusal's cost, and no reader needs it.
    const { stackTraceLimit } = engine;
    engine.stackTraceLimit = 0;
    super(details.reason ?? code);
    engine.stackTraceLimit = stackTraceLimit;
    this.name = 'Refusal';
    this.code = code;
    this.details = details;
  }

  /** Returns the HTTP status of the answer. */
  get status(): number {
    return this.details.status ?? REFUSALS[this.code].status;
  }

  /** Returns the answer's Retry-After, if it has one. */
  get retryAfterSeconds(): number | undefined {
    const kind: RefusalKind = REFUSALS[this.code];
    return this.details.retryAfterSeconds ?? kind.retryAfterSeconds;
  }
}

/** Returns a refusal's JSON body: `ok error message requestId`, then the public details. */
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
