import { balancesOf, RpcError } from '@asset-gateway/client/pay';
import { type Cluster, NETWORKS } from '@asset-gateway/protocol';
import { connectivity } from '../parts/connectivity.ts';

/** Returns the gateway's URL for the chain data that a payment needs. */
export const rpcOf = (cluster: Cluster): string => new URL(`/console/rpc/${cluster}`, location.origin).href;

/** The balances of an address on a cluster. */
export type Funds = NonNullable<Awaited<ReturnType<typeof fundsOf>>>;

/**
 * Reads an address's balances in billionths of a SOL and millionths of a USDC; undefined if the gateway does not settle on this cluster.
 */
export async function fundsOf(address: string, cluster: Cluster) {
  const access = { rpcUrl: rpcOf(cluster), signal: new AbortController().signal };
  try {
    return { cluster, ...(await balancesOf(access, address, NETWORKS[cluster])) };
  } catch (error) {
    if (error instanceof RpcError && error.status === 404) return undefined;
    // If the gateway does not answer, the banner says so.
    if (!(error instanceof RpcError)) await connectivity.retry();
    throw error;
  }
}
