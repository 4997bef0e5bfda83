import { type Connection, RETRIED, retryAfterMs } from './connection.ts';
import type { Deadline } from './deadline.ts';
import { errorOf, GatewayError } from './error.ts';
import type { SentRequest } from './sent-request.ts';
import type { SignedPayment } from './settings.ts';

const MAX_ATTEMPTS = 20;
const PAUSE_MS = 1000;

/** The statuses by which a gateway asks for the same payment again; 409 means that it is still working on it. */
const OPEN = [...RETRIED, 409];

const unknownOutcome = (cause: unknown, refusal?: GatewayError): GatewayError =>
  new GatewayError('payment_unknown', {
    message:
      'the payment was sent and its outcome is not known; repeat the call, which resends the same payment' +
      (refusal ? ` (${refusal.code}: ${refusal.message})` : ''),
    payment: refusal?.payment ?? { state: 'in_progress' },
    status: refusal?.status,
    requestId: refusal?.requestId,
    response: refusal?.response,
    cause,
  });

/** A payment to send until its outcome is known. */
export type Resent = Pick<SignedPayment, 'headers' | 'closed' | 'ended'>;

/** An answer, and how long to wait before resending if it asks for that. */
interface Answered {
  readonly response: Response;
  readonly waitMs: number | undefined;
}

/** One attempt to send a payment. */
type Attempt = Answered | { readonly failure: unknown };

async function attempt(
  connection: Connection,
  request: SentRequest,
  payment: Resent,
  deadline: Deadline,
): Promise<Attempt> {
  try {
    // Resending the same payment also recovers an answer that broke off.
    const response = await connection.send(request, payment.headers, deadline);
    return { response, waitMs: retryAfterMs(response, OPEN) };
  } catch (failure) {
    const isFinal = failure instanceof GatewayError && failure.code === 'answer_too_large';
    if (deadline.signal.aborted || isFinal) throw unknownOutcome(failure);
    return { failure };
  }
}

/** Reports the outcome. If the ledger fails, the caller still gets the answer. */
async function close({ options }: Connection, payment: Resent, outcome: 'paid' | 'refused'): Promise<void> {
  try {
    await payment.closed?.(outcome);
  } catch (error) {
    try {
      options.onLedgerFailure?.(error);
    } catch {
      // The caller has paid for the answer and must get it.
    }
  }
}

/** The last answer to a payment in this call. Throws `payment_unknown` if the payment may still settle. */
async function lastAnswer(connection: Connection, payment: Resent, { response, waitMs }: Answered): Promise<Response> {
  if (response.ok || response.status === 402) {
    await close(connection, payment, response.ok ? 'paid' : 'refused');
    return response;
  }
  const refusal = errorOf(response, await response.clone().text());
  const state = refusal.payment?.state;
  const isOurs = refusal.code !== 'not_a_gateway';
  // An answer that is not from a gateway, such as a proxy's page, leaves the outcome open, and so does a 5xx.
  const isOpen =
    !isOurs || waitMs !== undefined || response.status >= 500 || state === 'pending' || state === 'in_progress';
  if (isOpen && state !== 'unused') throw unknownOutcome(undefined, refusal);
  if (!isOpen) await close(connection, payment, 'refused');
  return response;
}

/** Sends one payment until its outcome is known. It is resent, never signed again. */
export async function resend(
  connection: Connection,
  request: SentRequest,
  payment: Resent,
  deadline: Deadline,
): Promise<Response> {
  let last: unknown;
  try {
    for (let attempts = 1; attempts <= MAX_ATTEMPTS; attempts++) {
      const made = await attempt(connection, request, payment, deadline);
      if ('failure' in made) last = made.failure;
      else if (made.waitMs === undefined || attempts === MAX_ATTEMPTS || made.waitMs >= deadline.remainingMs)
        return await lastAnswer(connection, payment, made);
      const pauseMs = 'waitMs' in made ? (made.waitMs ?? 0) : PAUSE_MS;
      await deadline.wait(pauseMs).catch((cause: unknown) => Promise.reject(unknownOutcome(cause)));
    }
    throw unknownOutcome(last);
  } finally {
    payment.ended?.();
  }
}
