import type { Connection } from './connection.ts';
import type { Deadline } from './deadline.ts';
import { GatewayError } from './error.ts';
import type { SentRequest, SignedPayment } from './payer.ts';

const MAX_ATTEMPTS = 20;
const PAUSE_MS = 1000;

/** The statuses of a gateway that asks for the same request again, and of one that still works on a payment. */
const AGAIN = [408, 429, 503];
const OPEN = [...AGAIN, 409];

/** How long to wait before the same is sent again; nothing where that would change nothing. */
export function retryAfterMs({ status, headers }: Response, statuses = AGAIN): number | undefined {
  const seconds = /^[0-9]{1,6}$/.exec(headers.get('retry-after') ?? (status === 408 ? '0' : ''))?.[0];
  return statuses.includes(status) && seconds !== undefined ? Number(seconds) * 1000 : undefined;
}

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
      const waitMs = retryAfterMs(response, OPEN);
      if (waitMs === undefined || attempt === MAX_ATTEMPTS || waitMs >= deadline.remainingMs) {
        if (waitMs === undefined) await payment.closed?.(response.ok ? 'paid' : 'refused');
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
