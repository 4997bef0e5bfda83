import { Refusal, type RefusalDetails } from '@asset-gateway/protocol';

/** Returns a store's answer. Turns a failure into the refusal `state_unavailable`. */
export const fromStore = <T>(answer: Promise<T>, details: RefusalDetails = {}): Promise<T> =>
  answer.catch((error) => {
    const reason = `store: ${error instanceof Error ? error.message : 'failed'}`;
    throw new Refusal('state_unavailable', { ...details, reason });
  });

/**
 * Waits until everything that a refused request has taken is released, so that the client can send the request again at once. Does not wait
 * if the store failed, because a store that does not answer must not delay the refusal. Reservations and holds also lapse by themselves.
 */
export async function untilReleased(error: unknown, releasing: Promise<void>): Promise<void> {
  if (!(error instanceof Refusal && error.code === 'state_unavailable')) await releasing;
}
