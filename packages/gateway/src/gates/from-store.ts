import { Refusal, type RefusalDetails } from '@asset-gateway/protocol';

/** What the store says; where it cannot say, the caller is told to come again. */
export const fromStore = <T>(answer: Promise<T>, details: RefusalDetails = {}): Promise<T> =>
  answer.catch((error) => {
    const reason = `store: ${error instanceof Error ? error.message : 'failed'}`;
    throw new Refusal('state_unavailable', { ...details, reason });
  });
