import type { Admission, Gate } from './gate.ts';

const free: Admission = {
  spend: (take) => take(),
  settle: async () => ({ headers: {} }),
  headers: () => ({}),
  [Symbol.asyncDispose]: async () => undefined,
};

/** The gate of what everybody may have. */
export const publicGate: Gate = { admit: async () => free, challenge: () => undefined };
