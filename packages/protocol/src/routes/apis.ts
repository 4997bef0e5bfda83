import type { Cluster } from '../networks.ts';

/** The path of an operation of an API; `cluster`: of the payment, undefined if it is free. */
export const apiPath = (api: string, path: string, cluster: Cluster | undefined): string =>
  cluster ? `/v1/x402/solana/${cluster}/${api}${path}` : `/v1/x402/${api}${path}`;
