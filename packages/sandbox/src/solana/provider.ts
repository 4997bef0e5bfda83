import type { Chain, Cluster } from '../chain/chain.ts';
import { send, startUpstream, type Upstream } from '../upstream.ts';
import { answerEndpoint, type ProviderFaultKnobs } from './answers.ts';

export type { ProviderFaultKnobs } from './answers.ts';

/** The chains to serve, the valid key and the port (default: a free one). */
export interface SolanaProviderOptions {
  readonly chains: Readonly<Record<Cluster, Chain>>;
  readonly key: string;
  readonly port?: number;
}

/** A running provider that simulates Helius and Alchemy on both clusters. */
export interface SolanaProvider extends Upstream<ProviderFaultKnobs> {
  readonly key: string;
  /** URLs with the key. */
  readonly rpcUrls: Readonly<Record<'helius' | 'alchemy', Readonly<Record<Cluster, string>>>>;
}

/** Starts a provider on 127.0.0.1 that answers from the chains and with examples, with fault knobs. */
export async function startSolanaProvider({ chains, key, port = 0 }: SolanaProviderOptions): Promise<SolanaProvider> {
  const worlds = {
    mainnet: { cluster: 'mainnet', chain: chains.mainnet },
    devnet: { cluster: 'devnet', chain: chains.devnet },
  } as const;
  const upstream = await startUpstream<ProviderFaultKnobs>(port, async (arrival, knobs, response) =>
    send(response, await answerEndpoint(arrival, knobs, { worlds, key }), knobs.truncate),
  );
  const { url } = upstream;
  const query = `?api-key=${encodeURIComponent(key)}`;
  const path = `v2/${encodeURIComponent(key)}`;
  return {
    ...upstream,
    key,
    rpcUrls: {
      helius: { mainnet: `${url}/mainnet${query}`, devnet: `${url}/devnet${query}` },
      alchemy: { mainnet: `${url}/mainnet/${path}`, devnet: `${url}/devnet/${path}` },
    },
  };
}
