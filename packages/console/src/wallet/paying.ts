import { createClient, type GatewayClient, type Signer } from '@asset-gateway/client';
import { type PayingWallet, payWith } from '@asset-gateway/client/pay';
import { below, type Cluster, clusterOfNetwork, listAt, textAt, USDC } from '@asset-gateway/protocol';
import { type Address, getAddressEncoder, getProgramDerivedAddress } from '@solana/kit';
import { sleep } from '../parts/hooks.ts';
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

const TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' as Address;
const ASSOCIATED_TOKEN = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL' as Address;

async function usdcAccount(owner: string, cluster: Cluster): Promise<string> {
  const seeds = [owner, TOKEN, USDC[cluster]].map((each) => getAddressEncoder().encode(each as Address));
  const [account] = await getProgramDerivedAddress({ programAddress: ASSOCIATED_TOKEN, seeds });
  return account;
}

/** The balances of an address on a cluster. */
export type Funds = NonNullable<Awaited<ReturnType<typeof fundsOf>>>;

/** Decodes the amount: eight little-endian bytes of a token account. */
const amountIn = (base64: string): number =>
  [...atob(base64)].reduceRight((sum, unit) => sum * 256 + unit.charCodeAt(0), 0);

/** Posts JSON. The gateway limits the reads of all pages together, so a 429 is repeated after its `Retry-After` a few times. */
async function postWhenAdmitted(url: string, body: string, triesLeft = 4): Promise<Response> {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const seconds = Number(response.headers.get('retry-after'));
  if (response.status !== 429 || !(seconds > 0 && seconds <= 5) || triesLeft === 0) return response;
  await sleep((seconds + Math.random()) * 1000);
  return postWhenAdmitted(url, body, triesLeft - 1);
}

/**
 * Reads the balances of an address, in billionths of a SOL and millionths of a USDC; undefined if the gateway does not settle on this
 * cluster.
 */
export async function fundsOf(address: string, cluster: Cluster) {
  const params = [[address, await usdcAccount(address, cluster)]];
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getMultipleAccounts', params });
  const response = await postWhenAdmitted(rpcOf(cluster), body);
  if (response.status === 404) return undefined;
  const answer: unknown = await response.json();
  const [own, token] = listAt(answer, 'result', 'value');
  if (own === undefined) throw new Error(textAt(answer, 'message') || 'The balance could not be read; try again.');
  const [data = ''] = listAt(token, 'data');
  return { cluster, lamports: Number(below(own, 'lamports') ?? 0), usdcMicros: amountIn(String(data)) };
}
