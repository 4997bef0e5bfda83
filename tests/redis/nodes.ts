import { type Signer, signIn } from '@asset-gateway/client';
import { newSigner } from '@asset-gateway/client/node';
import type { Environment } from '@asset-gateway/gateway';
import { freePort } from '../http/ports.ts';
import { makeFolder } from '../kit/folder.ts';
import { type GatewayProcess, startGatewayProcess } from '../kit/process.ts';
import { CANARY_KEY, CANARY_SECRET, LIST_PRICES, startChains, startUpstream } from '../kit/test-gateway.ts';
import { challengeFor } from '../kit/wallet.ts';

/** The public origin of all nodes. */
const ORIGIN = 'http://gateway.example';

/** Starts the sandbox of gateways in their own processes, for one origin, and what they share: the span that budgets count in, and these variables. */
export async function openNodes(windowMs: number, variables: Environment) {
  const upstream = await startUpstream();
  const solana = await startChains();
  const common = {
    DATA_DIR: makeFolder(),
    GATEWAY_BASE_URL: ORIGIN,
    GATEWAY_SECRET: CANARY_SECRET,
    TOKENS_API_BASE_URL: upstream.url,
    TOKENS_API_KEY: CANARY_KEY,
    ...solana.variables,
    ...LIST_PRICES,
    ...variables,
  };
  return {
    upstream,
    solana,
    /** Starts one more, with these variables as well. */
    async open(more = {}) {
      const port = String(await freePort());
      const node = await startGatewayProcess({ ...common, PORT: port, ...more }, windowMs);
      return { ...node, url: `http://127.0.0.1:${port}` };
    },
  };
}

/** A header that opens this path once, at any node; the challenge comes from this one, for a request like `init`. */
export const signAt = async (
  { url }: Pick<GatewayProcess, 'url'>,
  path: string,
  signer: Signer = newSigner(),
  init: RequestInit = {},
): Promise<string> => signIn(await challengeFor(url + path, init), signer, new URL(ORIGIN + path));
