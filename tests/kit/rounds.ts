/** How often a repeated case runs: what the issue names with ROUNDS=full, else 2. */
export const rounds = (full: number): number => (process.env.ROUNDS === 'full' ? full : Math.min(2, full));
