import type { Connection } from './connection.ts';
import type { Deadline } from './deadline.ts';
import { GatewayError } from './error.ts';
import type { SentRequest, SignedPayment } from './payer.ts';
import { AGAIN, retryAfterMs } from './retry-after.ts';

const MAX_ATTEMPTS = 20;
const PAUSE_MS = 1000;

/** The statuses by which a gateway asks for the same payment again: those of any request, and that of one which it still works on. */
const OPEN = [...AGAIN, 409];

const unknown = (cause: unknown): GatewayError =>
  new GatewayError('payment_unknown', {
    message: 'the payment was sent and its outcome is not known; send the same payment again, and make no new one',
    payment: { state: 'in_progress' },
    cause,
  });

/** Sends one payment until its outcome is known: a payment is sent again, never made anew. */
export async function resend(
  connection: Connection,
  request: SentRequest,
  payment: SignedPayment,
  deadline: Deadline,
): Promise<Response> {
  let last: unknown;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    try {
      const response = await connection.send(request, payment.headers, deadline);
      // An answer that breaks off is lost like one that never came, and the same payment brings it again.
      await response.clone().arrayBuffer();
      const waitMs = retryAfterMs(response, OPEN);
      if (waitMs === undefined || attempt === MAX_ATTEMPTS || waitMs >= deadline.remainingMs) {
        // A 5xx says of a payment that it may still count.
        if (waitMs === undefined && response.status < 500) await payment.closed?.(response.ok ? 'paid' : 'refused');
        return response;
      }
      await response.body?.cancel();
      await deadline.wait(waitMs);
    } catch (error) {
      if (deadline.signal.aborted) throw unknown(error);
      last = error;
      await deadline.wait(PAUSE_MS).catch((cause: unknown) => Promise.reject(unknown(cause)));
    }
  }
  throw unknown(last);
}
