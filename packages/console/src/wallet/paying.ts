import { createClient, type GatewayClient, type Signer } from '@asset-gateway/client';
import { balancesOf, type PayingWallet, payWith, RpcError } from '@asset-gateway/client/pay';
import { type Cluster, clusterOfNetwork, NETWORKS } from '@asset-gateway/protocol';
import { browserLedger } from './ledger.ts';
import type { PageCaps } from './storage.ts';

export interface PayingOptions {
  readonly signer: Signer;
  readonly wallet: PayingWallet;
  readonly caps: PageCaps;
  readonly fetch: typeof fetch;
}

/** Where the gateway serves the chain data that a payment needs. */
const rpcOf = (cluster: Cluster): string => new URL(`/console/rpc/${cluster}`, location.origin).href;

/** A client that pays within these caps and records each payment before sending it. */
export function payingClient({ signer, wallet, caps, fetch }: PayingOptions): GatewayClient {
  const pay = payWith({ wallet, rpcUrl: (network) => rpcOf(clusterOfNetwork(network)), caps, ledger: browserLedger });
  return createClient({ baseUrl: location.origin, signer, pay, fetch });
}

/** The balances of an address on a cluster. */
export type Funds = NonNullable<Awaited<ReturnType<typeof fundsOf>>>;

/**
 * Reads the balances of an address, in billionths of a SOL and millionths of a USDC; undefined if the gateway does not settle on this
 * cluster.
 */
export async function fundsOf(address: string, cluster: Cluster) {
  const access = { rpcUrl: rpcOf(cluster), signal: new AbortController().signal };
  try {
    return { cluster, ...(await balancesOf(access, address, NETWORKS[cluster])) };
  } catch (error) {
    if (error instanceof RpcError && error.status === 404) return undefined;
    throw error;
  }
}
