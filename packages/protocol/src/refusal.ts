import { REFUSALS, type RefusalCode, type RefusalKind } from './refusals.ts';

/** A broken rule of a request. Never contains the value sent. */
export interface Issue {
  /** The part of the request. */
  readonly in: 'path' | 'query' | 'body';
  /** The parameter. */
  readonly name: string;
  /** The keyword of JSON Schema, or the name of one of our rules. */
  readonly rule: string;
  /** What a valid value looks like. */
  readonly message: string;
}

/** What became of a payment. */
export interface PaymentState {
  /**
   * After `unused`, `in_progress` and `pending` resend the same payment; never make a new one instead. A `refused` payment bought
   * nothing, a `settled` one has moved the money.
   */
  readonly state: 'unused' | 'in_progress' | 'pending' | 'refused' | 'settled';
  /** The base58 signature of its transaction, if known. */
  readonly transaction?: string;
}

/** Optional details of a refusal. */
export interface RefusalDetails {
  /** The state of the request's payment. */
  readonly payment?: PaymentState;
  /** Replaces the code's status, for an upstream's own 4xx status. */
  readonly status?: number;
  /** Replaces the code's sentence. */
  readonly message?: string;
  /** The broken rules of the request. */
  readonly issues?: readonly Issue[];
  /** Replaces the code's own Retry-After. */
  readonly retryAfterSeconds?: number;
  /** The owner of the share that is used up, if the budget itself is not. */
  readonly scope?: 'group' | 'wallet';
  /** Headers of the answer besides the usual ones. */
  readonly headers?: Readonly<Record<string, string>>;
  /** For the log only: the failed check or fault. */
  readonly reason?: string;
}

/** V8's limit of stack frames per error. */
const engine: ErrorConstructor & { stackTraceLimit?: number | undefined } = Error;

/** Thrown to refuse a request; `refuse` in stages/envelope.ts turns it into a response. */
export class Refusal extends Error {
  /** The reason that the client gets. */
  readonly code: RefusalCode;
  /** What the answer says besides. */
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

  /** The HTTP status of the answer. */
  get status(): number {
    return this.details.status ?? REFUSALS[this.code].status;
  }

  /** The answer's Retry-After, if it has one. */
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
