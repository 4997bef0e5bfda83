import { Refusal, type RefusalDetails } from '@asset-gateway/protocol';

/** A store's answer. A failure becomes the refusal `state_unavailable`. */
export const fromStore = <T>(answer: Promise<T>, details: RefusalDetails = {}): Promise<T> =>
  answer.catch((error) => {
    const reason = `store: ${error instanceof Error ? error.message : 'failed'}`;
    throw new Refusal('state_unavailable', { ...details, reason });
  });
