/**
 * The symbols of the liquid staking tokens of SOL that Sanctum lists, in its order. The last one is no variant of Solana
 * yet; scnSOL is one and is no longer listed.
 */
export const STAKE_POOLS: readonly string[] = [
  'INF',
  'JitoSOL',
  'JupSOL',
  'mSOL',
  'bSOL',
  'hSOL',
  'dSOL',
  'sSOL',
  'bonkSOL',
  'laineSOL',
  'vSOL',
];
