import { Refusal } from '@asset-gateway/protocol';
import type { Admission, Gate } from './gate.ts';

const free: Admission = {
  spend: (take) => take(),
  settle: async () => ({ headers: {} }),
  [Symbol.asyncDispose]: async () => undefined,
};

/** The gate of what everybody may have. */
export const publicGate: Gate = { admit: async () => free };

/** The gate of what this deployment does not offer; no row should lead here. */
export const closedGate: Gate = {
  admit: async () => {
    throw new Refusal('not_found', { reason: 'closed gate' });
  },
};
