import { type Cluster, type Route, USDC } from '@asset-gateway/protocol';
import type { Chain } from '../chain/chain.ts';
import { isList, isObject, type Json } from '../chain/json.ts';
import { exampleOf } from './examples.ts';

/** A cluster and its chain. */
export interface World {
  readonly cluster: Cluster;
  readonly chain: Chain;
}

/** Whether the chain knows an address; others get the examples of the rows. */
export async function isOnChain(address: string, { chain }: World): Promise<boolean> {
  if (chain.lamports(address) > 0n || chain.isHolder(address)) return true;
  const history = await chain.answer('getSignaturesForAddress', [address, { limit: 1, commitment: 'confirmed' }]);
  return isList(history) && history.length > 0;
}

const SOL_USD = 151.4;
const SOL = { mint: 'So11111111111111111111111111111111111111112', symbol: 'SOL', name: 'Solana', decimals: 9 };

function holding(token: typeof SOL, amount: bigint, pricePerToken: number) {
  const balance = Number(amount) / 10 ** token.decimals;
  const usdValue = Math.round(balance * pricePerToken * 100) / 100;
  return { ...token, balance, pricePerToken, usdValue, logoUri: null, tokenProgram: 'spl-token' };
}

async function balancesOf(wallet: string, { chain, cluster }: World): Promise<Json> {
  const usdc = { mint: USDC[cluster], symbol: 'USDC', name: 'USD Coin', decimals: 6 };
  const balances = [
    holding(SOL, chain.lamports(wallet), SOL_USD),
    holding(usdc, await chain.usdcBalance(wallet), 1),
  ].filter(({ balance }) => balance > 0);
  const totalUsdValue = balances.reduce((sum, { usdValue }) => sum + usdValue, 0);
  return { balances, totalUsdValue, pagination: { page: 1, limit: 100, hasMore: false } };
}

const addressIn = (identity: Json): Json => (isObject(identity) ? (identity.address ?? null) : null);

function identities(row: Route, body: string): Json {
  const [known = null] = row.result.example as Json[];
  const asked: Json = JSON.parse(body);
  const addresses = isObject(asked) && isList(asked.addresses) ? asked.addresses : [];
  return addresses.map((address) =>
    address === addressIn(known) ? known : { address, type: 'unknown', name: null, category: null, tags: [] },
  );
}

/** Answers a request to the wallet API from the chain, or with the example of its row; undefined if there is nothing. */
export async function answerWallet(
  { row, wallet, body }: { readonly row: Route; readonly wallet: string; readonly body: string },
  world: World,
): Promise<Json | undefined> {
  if (row.method === 'batchIdentity') return identities(row, body);
  if ((row.method !== 'balances' && row.method !== 'identity') || !(await isOnChain(wallet, world))) {
    return exampleOf(row);
  }
  // Wallets of the chain have no name.
  return row.method === 'balances' ? balancesOf(wallet, world) : undefined;
}
