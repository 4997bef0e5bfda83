import { Refusal, type RefusalDetails } from '@asset-gateway/protocol';

/** A store's answer. A failure becomes the refusal `state_unavailable`. */
export const fromStore = <T>(answer: Promise<T>, details: RefusalDetails = {}): Promise<T> =>
  answer.catch((error) => {
    const reason = `store: ${error instanceof Error ? error.message : 'failed'}`;
    throw new Refusal('state_unavailable', { ...details, reason });
  });

/**
 * Waits until everything that a refused request has taken is released, so that the client can resend the request at
 * once. The wait is bounded, because a store that does not answer must not delay the refusal; reservations and holds
 * lapse by themselves.
 */
export async function untilReleased(error: unknown, releasing: Promise<void>): Promise<void> {
  if (!(error instanceof Refusal && error.code === 'state_unavailable')) await releasing;
}
