/** Whether repeated cases run as often as docs/proof.md says, and what takes long runs at all. */
export const isFull = process.env.ROUNDS === 'full';

/** How often a repeated case runs: what the issue names with ROUNDS=full, else 2. */
export const rounds = (full: number): number => (isFull ? full : Math.min(2, full));
