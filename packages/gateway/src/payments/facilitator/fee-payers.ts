import { NETWORKS } from '@asset-gateway/protocol';
import type { FeePayerReading, Readings } from '../../metrics/readings.ts';
import type { Chain } from './chain.ts';
import type { Facilitator } from './facilitator.ts';

/** Asks each chain what its fee payer holds. */
export function feePayerReader(facilitator: Facilitator, chains: ReadonlyMap<string, Chain>): Readings['feePayers'] {
  const read = async (cluster: string, network: string): Promise<FeePayerReading> => {
    const address = facilitator.feePayer(network);
    const asked = address === undefined ? undefined : chains.get(network)?.account(address);
    // An account that is not there holds nothing; one that could not be asked for holds nobody knows what.
    return { cluster, lamports: await asked?.then((account) => account?.lamports ?? 0).catch(() => undefined) };
  };
  const clusters = Object.entries(NETWORKS).filter(([, network]) => chains.has(network));
  return () => Promise.all(clusters.map(([cluster, network]) => read(cluster, network)));
}
