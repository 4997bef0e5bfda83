/** CAIP-2 identifiers of the Solana clusters, by their names in paths. */
export const NETWORKS = {
  mainnet: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  devnet: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
} as const;

/**
 * The name of a Solana cluster in paths and envelopes.
 * @useDeclaredType
 */
export type Cluster = keyof typeof NETWORKS;

/** The clusters, mainnet first. */
export const CLUSTERS: readonly Cluster[] = ['mainnet', 'devnet'];

/** Returns the cluster of a CAIP-2 identifier. Throws for another network. */
export function clusterOfNetwork(network: string): Cluster {
  if (network === NETWORKS.mainnet) return 'mainnet';
  if (network === NETWORKS.devnet) return 'devnet';
  throw new Error('unknown network');
}

/** The names of the clusters in version 1 of x402. */
export const VERSION_1_NAMES: Readonly<Record<Cluster, string>> = { mainnet: 'solana', devnet: 'solana-devnet' };

/** The mints of USDC. */
export const USDC = {
  mainnet: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  devnet: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
} as const;

/** The decimals of USDC on every cluster. */
export const USDC_DECIMALS = 6;

/** The networks that a sign-in may name, mainnet first, because clients use the first that they support. */
export const SIGN_IN_NETWORKS: readonly string[] = [NETWORKS.mainnet, NETWORKS.devnet];
