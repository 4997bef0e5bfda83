import { isObject, listAt, type Route, USDC } from '@asset-gateway/protocol';
import { WRAPPED_SOL } from '../chain/addresses.ts';
import type { Chain } from '../chain/chain.ts';
import { knownVariant } from '../tokens/catalogue.ts';
import { metricsOf } from '../tokens/market.ts';

/** The wallets' chain, and the time of their prices in milliseconds. */
export interface WalletMarket {
  readonly chain: Chain;
  readonly now: number;
}

/** Whether the chain has a history of an address. For other addresses, histories are the rows' examples. */
export async function hasHistory(address: string, chain: Chain): Promise<boolean> {
  if (chain.isHolder(address)) return true;
  const history = await chain.answer('getSignaturesForAddress', [address, { limit: 1, commitment: 'confirmed' }]);
  return listAt(history).length > 0;
}

const SOL = { mint: WRAPPED_SOL, symbol: 'SOL', name: 'Solana', decimals: 9 };

function holding(token: typeof SOL, amount: bigint, pricePerToken: number) {
  const balance = Number(amount) / 10 ** token.decimals;
  const usdValue = Math.round(balance * pricePerToken * 100) / 100;
  return { ...token, balance, pricePerToken, usdValue, logoUri: null, tokenProgram: 'spl-token' };
}

/** Returns the price of SOL in the sandbox's Tokens API at this time. */
function solPriceAt(now: number): number {
  const sol = knownVariant(WRAPPED_SOL);
  return (sol && metricsOf(sol, now)?.price) ?? 0;
}

async function balancesOf(wallet: string, { chain, now }: WalletMarket) {
  const usdc = { mint: USDC[chain.cluster], symbol: 'USDC', name: 'USD Coin', decimals: 6 };
  const balances = [
    holding(SOL, chain.lamports(wallet), solPriceAt(now)),
    holding(usdc, await chain.usdcBalance(wallet), 1),
  ].filter(({ balance }) => balance > 0);
  const totalUsdValue = balances.reduce((sum, { usdValue }) => sum + usdValue, 0);
  return { balances, totalUsdValue, pagination: { page: 1, limit: 100, hasMore: false } };
}

function identities(row: Route, body: string) {
  const [known] = listAt(row.result.example);
  return listAt(JSON.parse(body), 'addresses').map((address) =>
    isObject(known) && address === known.address
      ? known
      : { address, type: 'unknown', name: null, category: null, tags: [] },
  );
}

/** Answers a request to the wallet API: balances from the chain, others with the row's example. Undefined if there is nothing. */
export async function answerWallet(row: Route, wallet: string, body: string, market: WalletMarket): Promise<unknown> {
  if (row.method === 'batchIdentity') return identities(row, body);
  if (row.method === 'balances') return balancesOf(wallet, market);
  // Wallets on the chain have no name.
  if (row.method === 'identity' && (await hasHistory(wallet, market.chain))) return undefined;
  return row.result.example;
}
