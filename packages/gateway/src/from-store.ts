import { Refusal, type RefusalDetails } from '@asset-gateway/protocol';

/** A store's answer. A failure becomes the refusal `state_unavailable`. */
export const fromStore = <T>(answer: Promise<T>, details: RefusalDetails = {}): Promise<T> =>
  answer.catch((error) => {
    const reason = `store: ${error instanceof Error ? error.message : 'failed'}`;
    throw new Refusal('state_unavailable', { ...details, reason });
  });

/**
 * Waits until what a refused request has taken is released, so that the request can be sent again at once. A store that does not answer
 * must not delay its refusal: what was taken lapses.
 */
export async function untilReleased(error: unknown, releasing: Promise<void>): Promise<void> {
  if (!(error instanceof Refusal && error.code === 'state_unavailable')) await releasing;
}
