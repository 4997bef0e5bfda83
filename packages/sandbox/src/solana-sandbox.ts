import { generateKeyPairSync } from 'node:crypto';
import type { Environment, OwnRoute } from '@asset-gateway/gateway';
import { type Cluster, faucetRoute } from '@asset-gateway/protocol';
import bs58 from 'bs58';
import { startChain } from './chain/chain.ts';
import { answerEndpoint, type ProviderFaultKnobs, type Served } from './solana/answers.ts';
import { send, startUpstream } from './upstream.ts';

/** Everything that paid routes need offline: two chains, their providers, a payee and a fee payer. */
export type SolanaSandbox = Awaited<ReturnType<typeof startSolanaSandbox>>;

export interface SolanaSandboxOptions {
  /** The port of the mainnet chain; devnet uses the next one. Default: free ports. */
  readonly port?: number;
  readonly key: string;
  /** Milliseconds per block. */
  readonly blockMs?: number;
  /** The clock for prices of the wallet API, in milliseconds; default: this machine's. */
  readonly marketNow?: () => number;
}

const SOL = 1_000_000_000n;
/** The wallet of the routes' examples. */
const EXAMPLE_WALLET = '86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY';

function newKeypair(): Uint8Array {
  const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  return Buffer.concat([Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url')]);
}

/** Starts a provider that simulates Helius and Alchemy on both clusters. */
async function startProvider(served: Served) {
  const upstream = await startUpstream<ProviderFaultKnobs>(0, async (arrival, knobs, response) =>
    send(response, await answerEndpoint(arrival, knobs, served), knobs.truncate),
  );
  const urlsWith = (suffix: string) => ({
    mainnet: `${upstream.url}/mainnet${suffix}`,
    devnet: `${upstream.url}/devnet${suffix}`,
  });
  const encodedKey = encodeURIComponent(served.key);
  return {
    ...upstream,
    rpcUrls: { helius: urlsWith(`?api-key=${encodedKey}`), alchemy: urlsWith(`/v2/${encodedKey}`) },
  };
}

/** Starts chains and providers on which payments really settle. */
export async function startSolanaSandbox({ port, key, blockMs, marketNow = Date.now }: SolanaSandboxOptions) {
  const pace = blockMs === undefined ? {} : { blockMs };
  const mainnet = await startChain({ cluster: 'mainnet', ...pace, ...(port !== undefined && { port }) });
  const devnet = await startChain({ cluster: 'devnet', ...pace, ...(port !== undefined && { port: port + 1 }) });
  const provider = await startProvider({ chains: { mainnet, devnet }, key, marketNow });
  const { rpcUrls } = provider;
  const [feePayer, payee] = [newKeypair(), newKeypair()];
  const payTo = bs58.encode(payee.subarray(32));
  for (const chain of [mainnet, devnet]) {
    chain.airdrop(bs58.encode(feePayer.subarray(32)), 100n * SOL);
    await chain.createAta(payTo);
    chain.airdrop(EXAMPLE_WALLET, (25n * SOL) / 2n);
  }
  /** The variables of a gateway on this sandbox. */
  const variables: Environment = {
    ALCHEMY_MAINNET_RPC_URL: rpcUrls.alchemy.mainnet,
    ALCHEMY_DEVNET_RPC_URL: rpcUrls.alchemy.devnet,
    HELIUS_MAINNET_RPC_URL: rpcUrls.helius.mainnet,
    HELIUS_DEVNET_RPC_URL: rpcUrls.helius.devnet,
    HELIUS_API_KEY: key,
    HELIUS_WALLET_API_BASE_URL: provider.url,
    PAY_TO_WALLET: payTo,
    FEE_PAYER_KEYPAIR: bs58.encode(feePayer),
    SOLANA_MAINNET_RPC_URL: mainnet.url,
    SOLANA_DEVNET_RPC_URL: devnet.url,
  };
  return {
    mainnet,
    devnet,
    provider,
    /** The wallet that receives payments. */
    payTo,
    variables,
    async close(): Promise<void> {
      await Promise.all([provider.close(), mainnet.close(), devnet.close()]);
    },
  };
}

/** Returns the route that gives play money to pages of the gateway, on their own origin. */
export const faucetOf = (solana: SolanaSandbox): OwnRoute => ({
  route: faucetRoute,
  async answer({ input: { body } }) {
    const chain = solana[body.cluster as Cluster];
    await chain.answer('sandbox_faucet', [String(body.address)]);
    return { json: JSON.stringify({ ok: true }) };
  },
});
