import { type Connection, RETRIED, retryAfterMs } from './connection.ts';
import type { Deadline } from './deadline.ts';
import { errorOf, GatewayError } from './error.ts';
import type { SentRequest } from './sent-request.ts';
import type { SignedPayment } from './settings.ts';

const MAX_ATTEMPTS = 20;
const PAUSE_MS = 1000;

/** The statuses that ask for the same payment again. With 409 the gateway is still working on it. */
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
export type ResentPayment = Pick<SignedPayment, 'headers' | 'closed' | 'ended'>;

/** Reports the outcome to the ledger. If the ledger fails, the caller still gets the paid answer. */
async function close({ options }: Connection, payment: ResentPayment, outcome: 'paid' | 'refused'): Promise<void> {
  const closed = async () => payment.closed?.(outcome);
  await closed()
    .catch((error: unknown) => void options.onLedgerFailure?.(error))
    .catch(() => undefined);
}

/**
 * Returns the last answer to a payment in this call. Throws `payment_unknown` if the payment may have settled. A payment that the gateway
 * calls unused stays open: the next call for the request sends it again while it can settle.
 */
async function lastAnswer(connection: Connection, payment: ResentPayment, response: Response): Promise<Response> {
  if (response.ok || response.status === 402) {
    await close(connection, payment, response.ok ? 'paid' : 'refused');
    return response;
  }
  const refusal = errorOf(response, await response.clone().text());
  const state = refusal.payment?.state;
  const isOurs = refusal.code !== 'not_a_gateway';
  // A 5xx and an answer that is not from a gateway, such as a proxy's page, leave the outcome open.
  const isUnderWay = retryAfterMs(response, OPEN) !== undefined || state === 'pending' || state === 'in_progress';
  if (isOurs && state === 'unused') return response;
  if (!isOurs || isUnderWay || response.status >= 500) throw unknownOutcome(undefined, refusal);
  await close(connection, payment, 'refused');
  return response;
}

/** Sends one payment until its outcome is known. Resends it, but never signs again. */
export async function resend(
  connection: Connection,
  request: SentRequest,
  payment: ResentPayment,
  deadline: Deadline,
): Promise<Response> {
  try {
    for (let attempts = 1; ; attempts++) {
      const isLast = attempts === MAX_ATTEMPTS;
      // Resending the payment also recovers an answer that broke off.
      const response = await connection.send(request, payment.headers, deadline).catch((failure: unknown) => {
        const isFinal = failure instanceof GatewayError && failure.code === 'answer_too_large';
        if (isLast || isFinal || deadline.signal.aborted) throw unknownOutcome(failure);
      });
      const waitMs = response ? retryAfterMs(response, OPEN) : PAUSE_MS;
      if (response && (waitMs === undefined || isLast || waitMs >= deadline.remainingMs))
        return await lastAnswer(connection, payment, response);
      await deadline.wait(waitMs ?? 0).catch((cause: unknown) => Promise.reject(unknownOutcome(cause)));
    }
  } finally {
    payment.ended?.();
  }
}
